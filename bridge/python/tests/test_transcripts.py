"""Every transcript beside the schemas, run with this package's framing and merging."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from .support import CORE, CORE_IS_MISSING, photograph
from .transcript import TranscriptRun

FOLDER = Path(
    os.environ.get("GRAIN_TRANSCRIPTS")
    or Path(__file__).resolve().parents[3] / "Schemas/v1/transcripts"
)


@unittest.skipIf(CORE_IS_MISSING, CORE_IS_MISSING)
class Transcripts(unittest.TestCase):
    """The library sees what the transcript says it must (§14)."""

    def test_every_transcript_goes_as_it_is_written(self) -> None:
        paths = sorted(FOLDER.glob("*.ndjson"))
        self.assertTrue(paths, f"no transcripts in {FOLDER}")
        for path in paths:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                TranscriptRun(CORE, path, folder, photograph(folder)).run()
