"""The proof verifier accepts what RFC 9449 asks for, and refuses each single departure from it."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from joserfc import jws
from joserfc.jwk import ECKey

from verify_proofs import Verifier, main, refusals

KEY = ECKey.generate_key("P-256")
URL = "https://pds.example.com/xrpc/com.atproto.repo.applyWrites?x=1#y"
# RFC 9449 §4.1, the specification's own first example.
RFC_PROOF = (
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6Ik"
    "VDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCR"
    "nMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JE"
    "QSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIj"
    "oiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwia"
    "WF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg"
    "4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
)


def proof(
    header: dict[str, Any] | None = None, claims: dict[str, Any] | None = None, key: ECKey = KEY
) -> str:
    """A good proof but for what is given."""
    jwk = KEY.as_dict(private=False)
    full_header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk, **(header or {})}
    full_claims = {
        "jti": "j-1",
        "htm": "POST",
        "htu": URL.split("?")[0],
        "iat": 1_700_000_000,
        "nonce": "n-1",
        "ath": "h-1",
        **(claims or {}),
    }
    members = {name: value for name, value in full_claims.items() if value is not None}
    return jws.serialize_compact(full_header, json.dumps(members), key, algorithms=["ES256"])


def record(text: str, **more: Any) -> str:
    """One line of a recording."""
    facts = {"proof": text, "method": "POST", "url": URL, "nonce": "n-1", "accessTokenHash": "h-1"}
    facts.update(more)
    return json.dumps({name: value for name, value in facts.items() if value is not None})


class Proofs(unittest.TestCase):
    """One record a test, good but for one thing."""

    def reasons(self, *lines: str, at: int | None = None) -> list[str]:
        """Why the records are refused."""
        return [reason for _, reason in refusals(list(lines), Verifier(at))]

    def assert_refused(self, line: str, word: str, at: int | None = None) -> None:
        """The record is refused, for a reason that mentions `word`."""
        reasons = self.reasons(line, at=at)
        self.assertEqual(1, len(reasons), reasons)
        self.assertIn(word, reasons[0])

    def test_a_good_proof_is_verified(self) -> None:
        self.assertEqual([], self.reasons(record(proof()), at=1_700_000_100))

    def test_the_proof_printed_in_rfc_9449_is_verified(self) -> None:
        line = json.dumps(
            {"proof": RFC_PROOF, "method": "POST", "url": "https://server.example.com/token"}
        )
        self.assertEqual([], self.reasons(line))

    def test_a_proof_for_another_request_is_refused(self) -> None:
        self.assert_refused(record(proof(), method="GET"), "htm")
        self.assert_refused(record(proof(), url="https://other.example.com/"), "htu")
        self.assert_refused(record(proof(claims={"htu": URL})), "htu")
        self.assert_refused(record(proof(claims={"htm": "post"})), "htm")

    def test_the_nonce_is_the_one_the_server_wanted_where_the_recording_knows_it(self) -> None:
        self.assert_refused(record(proof(), nonce="n-2"), "nonce")
        self.assert_refused(record(proof(claims={"nonce": None})), "nonce")
        self.assert_refused(record(proof(claims={"nonce": 7}), nonce=None), "nonce")
        self.assertEqual([], self.reasons(record(proof(), nonce=None)))

    def test_the_access_token_is_that_of_the_request_or_absent_on_both_sides(self) -> None:
        self.assert_refused(record(proof(claims={"ath": None})), "ath")
        self.assert_refused(record(proof(), accessTokenHash=None), "ath")
        bare = proof(claims={"ath": None, "nonce": None})
        self.assertEqual([], self.reasons(record(bare, nonce=None, accessTokenHash=None)))

    def test_a_proof_is_good_once(self) -> None:
        self.assertEqual(["jti was used before"], self.reasons(record(proof()), record(proof())))

    def test_the_time_is_whole_seconds_near_the_recordings(self) -> None:
        self.assert_refused(record(proof(claims={"iat": 1.5})), "iat")
        self.assert_refused(record(proof(claims={"iat": True})), "iat")
        self.assert_refused(record(proof()), "s off", at=1_700_001_000)

    def test_the_header_is_that_of_a_dpop_proof(self) -> None:
        self.assert_refused(record(proof(header={"typ": "JWT"})), "typ")
        self.assert_refused(record(proof(header={"jwk": {"kty": "OKP", "crv": "Ed25519"}})), "jwk")
        private = proof(header={"jwk": KEY.as_dict(private=True)})
        self.assert_refused(record(private), "private key")

    def test_a_signature_by_another_key_or_a_changed_payload_is_refused(self) -> None:
        self.assert_refused(record(proof(key=ECKey.generate_key("P-256"))), "signature")
        head, _, tail = proof().split(".")
        other = proof(claims={"jti": "j-2"}).split(".")[1]
        self.assert_refused(record(f"{head}.{other}.{tail}"), "signature")

    def test_what_is_no_proof_at_all_is_refused_in_words(self) -> None:
        self.assert_refused(record("a.b"), "JWS")
        self.assert_refused('{"proof":"x"}', "method")
        self.assert_refused("[]", "object")
        self.assert_refused("{", "JSON")

    def test_the_command_counts_and_refuses_an_empty_recording(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            good, empty = Path(folder, "good.jsonl"), Path(folder, "empty.jsonl")
            good.write_text(record(proof()) + "\n", "utf-8")
            empty.write_text("\n", "utf-8")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                self.assertEqual(0, main([str(good)]))
                self.assertEqual(1, main([str(empty)]))
            self.assertIn("1 of 1 proofs verified", output.getvalue())


if __name__ == "__main__":
    unittest.main()
