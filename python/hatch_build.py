"""Lets versions of hatchling that are older than Python 3.13 build this package."""

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class KnownClassifiers(MetadataHookInterface):
    """Adds what a list of classifiers from before October 2024 does not have."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Changes nothing."""

    def get_known_classifiers(self) -> list[str]:
        """Classifiers that are right although the list lacks them."""
        return ["Programming Language :: Python :: 3.13"]
