"""Any two strings, except planet names in other case or with outer whitespace.

The prompt does not say whether "earth" is a "correct planet name".
"""


def precondition(planet1, planet2):
    planets = ("Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune")
    for name in (planet1, planet2):
        assert type(name) is str, "planet1 and planet2 must be strings"
        assert name in planets or name.strip().title() not in planets, (
            "every planet's name must be written as in the prompt"
        )
