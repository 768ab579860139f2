"""What was sent and has no definite answer yet, on disk: a bot that was killed submits it again under the same key, and knows then."""

import json
import os
from pathlib import Path

from venue_gateway.generated.records import SubmitOrder


class Journal:
    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self.open: dict[str, SubmitOrder] = json.loads(self._path.read_text()) if self._path.exists() else {}

    def keep(self, key: str, order: SubmitOrder) -> None:
        self.open[key] = order
        self._write()

    def settle(self, key: str) -> None:
        if self.open.pop(key, None) is not None:
            self._write()

    def _write(self) -> None:
        """Whole or not at all, and on the disk before anything is sent."""
        beside = self._path.with_suffix(".new")
        with beside.open("w") as file:
            json.dump(self.open, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)
