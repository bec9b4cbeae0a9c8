"""Packages as files: where they come from, how archives are opened, and their licences."""
