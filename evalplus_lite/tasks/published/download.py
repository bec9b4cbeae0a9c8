"""Published files, fetched once from where their makers release them, and checked by content."""

from __future__ import annotations

import logging
import textwrap
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.store import cache_folder


@dataclass(frozen=True, slots=True)
class Release:
    """A published file: where it is, and the SHA-256 of its bytes."""

    url: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The file's name in the cache: the version and the name that it was released under."""
        return "-".join(self.url.rsplit("/", 2)[1:])


def fetched(release: Release) -> Path:
    """Return the path of a published file in the cache, downloading it if it is not there yet.

    The cache is ``store.cache_folder()``. A file whose content is not the released one is never
    used. Raises InputError if the file cannot be had, naming the ways to do without the network.
    """
    # Both take a tenth of a second to import, and most commands need neither.
    import pooch
    import requests

    folder = cache_folder()
    place = folder / release.file_name
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        path = pooch.retrieve(
            release.url,
            known_hash=f"sha256:{release.sha256}",
            fname=release.file_name,
            path=folder,
        )
    except (requests.RequestException, OSError) as error:
        raise InputError(
            f"{release.url} cannot be downloaded: {_first_line(error)}",
            remedy=f"save it as {place}, or give the path of a copy instead of the name",
        ) from None
    except ValueError as error:  # pooch's word for a checksum that differs
        raise InputError(
            f"{release.url} is not the file that was released: {_first_line(error)}",
            remedy=f"try again later, or give the path of a copy instead; {place} was not kept",
        ) from None
    finally:
        logger.setLevel(level)
    return Path(path)


def _first_line(error: Exception) -> str:
    line = (str(error).splitlines() or [type(error).__name__])[0]
    return textwrap.shorten(line, 200, placeholder=" ...")
