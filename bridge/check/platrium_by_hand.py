#!/usr/bin/env python3
"""Uses the sandbox's Platrium-like service the way a stranger would: with plain HTTP and its paper.

No line of this project's clients takes part: requests are written here, forms are read with the standard
library, and what is asked for is what requirements P1–P48 promise. If the service were wrong about them in
the same way as the core, this would fail.

Usage: platrium_by_hand.py CORE        CORE is the grain-core program
Exit status: 0 the service keeps its promises; 1 it does not, and the words say where.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from http.client import HTTPConnection
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_REFUSED = [
    "javascript:alert(1)", "file:///etc/passwd", "http://example.com", "http://0.0.0.0:1/callback",
    "http://127.0.0.1.evil.tld/callback", "http://user@127.0.0.1:1/callback", "grain://callback",
    "https://app.platrium.test.evil.tld/signed-in", "https://app.platrium.test/signed-into",
    "https://app.platrium.test/signed-in/../evil", "platrium://auth/callback#x",
]  # fmt: skip
_ALLOWED = [
    "platrium://callback", "platrium://auth/callback", "http://127.0.0.1:1/callback",
    "http://[::1]:65535/callback", "http://localhost/callback",
    "https://app.platrium.test/signed-in", "https://app.platrium.test/signed-in/here",
]  # fmt: skip


class Broken(Exception):
    """The service broke a promise; the words say which."""


class Answer:
    """One answer, and its JSON where there is some."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.text = body.decode()
        is_json = headers.get("content-type", "").startswith(_JSON)
        self.json: dict[str, Any] = json.loads(body) if is_json else {}

    def must(self, status: int, promise: str) -> Answer:
        """Itself, if it has that status."""
        if self.status != status:
            raise Broken(f"{promise}: {self.status} instead of {status}: {self.text[:200]}")
        return self


class Service:
    """Sends requests, each over a connection of its own."""

    def __init__(self, url: str) -> None:
        self._place = urlsplit(url).netloc

    def send(
        self, method: str, target: str, headers: dict[str, str] | None = None, body: str = ""
    ) -> Answer:
        """One request, sent as it stands."""
        connection = HTTPConnection(self._place, timeout=20)
        try:
            connection.request(method, target, body or None, headers or {})
            response = connection.getresponse()
            fields = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, fields, response.read())
        finally:
            connection.close()

    def call(
        self, method: str, path: str, token: str = "", cookie: str = "", body: Any = None
    ) -> Answer:
        """A call of the API with a token, a cookie, both or neither."""
        headers = {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if cookie:
            headers["Cookie"] = cookie
        if body is not None:
            headers["Content-Type"] = _JSON
        text = "" if body is None else json.dumps(body)
        return self.send(method, f"/api/auth/{path}", headers, text)


class _Forms(HTMLParser):
    """The forms of a page: where they go, and what they hold."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes forms and fields."""
        words = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((words.get("action", ""), {}))
        elif tag == "input" and self.found and "name" in words:
            self.found[-1][1][words["name"]] = words.get("value", "")


class Person:
    """Somebody with a browser: one cookie, and forms filled in."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.cookie = ""

    def open(self, target: str) -> Answer:
        """Goes to a page and keeps its cookie."""
        return self._keep(self._service.send("GET", target, {"Cookie": self.cookie}))

    def submit(self, page: Answer, action: str, **typed: str) -> Answer:
        """Fills in the form of a page that goes to `action`, and sends it."""
        forms = [form for form in _Forms(page.text).found if form[0] == action]
        if not forms:
            raise Broken(f"the page has no form for {action}: {page.text[:300]}")
        headers = {"Cookie": self.cookie, "Content-Type": _FORM}
        body = urlencode({**forms[0][1], **typed})
        return self._keep(self._service.send("POST", action, headers, body))

    def log_in(self, target: str, email: str, password: str) -> str:
        """Goes where a login stands before, logs in, and gives back where that leads."""
        login = self.open(target).must(303, "a signed-out person is sent to the login (P12)")
        page = self.open(login.headers["location"]).must(200, "there is a login page")
        wrong = self.submit(page, "/login", email=email, password=f"not {password}")
        wrong.must(400, "a wrong password does not log in")
        done = self.submit(wrong, "/login", email=email, password=password)
        return done.must(303, "a right password logs in").headers["location"]

    def _keep(self, answer: Answer) -> Answer:
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].split(";")[0]
        return answer


def main(arguments: list[str]) -> int:
    """Runs through the promises and says which are kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("core", metavar="CORE", help="the grain-core program")
    options = parser.parse_args(arguments)
    try:
        with _sandbox(options.core) as network:
            about = network["platrium"]
            service = Service(about["url"])
            email, password = about["accounts"][0]["email"], about["accounts"][0]["password"]
            _redirects(service)
            device = _device(service, email, password)
            _credentials(service, device, email, password)
            _push_and_list(service, device, email, password)
            _limits(service, device)
    except Broken as broken:
        print(f"platrium by hand: {broken}", file=sys.stderr)
        return 1
    print("platrium by hand: consent, codes, tokens, devices, push and limits are as promised")
    return 0


# MARK: The promises


def _question(verifier: str, redirect: str, **more: str) -> dict[str, str]:
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return {
        "redirect_uri": redirect, "code_challenge": challenge, "code_challenge_method": "S256",
        "state": secrets.token_urlsafe(16), "name": "A stranger & friends", **more,
    }  # fmt: skip


def _redirects(service: Service) -> None:
    """Only addresses of P19–P21 are asked about at all, before anybody logs in (P22, P23)."""
    for redirect in _REFUSED:
        page = service.send("GET", f"/authorize?{urlencode(_question('v', redirect))}")
        page.must(400, f"{redirect} is refused (P22)")
    for redirect in _ALLOWED:
        page = service.send("GET", f"/authorize?{urlencode(_question('v', redirect))}")
        page.must(303, f"{redirect} is allowed (P19–P21)")


def _device(service: Service, email: str, password: str) -> str:
    """A device signs in: login, no, yes, code, token; codes burn at the first try."""
    person = Person(service)
    verifier = secrets.token_urlsafe(48)
    redirect = "http://127.0.0.1:9/callback"
    question = _question(verifier, redirect, platform="LINUX", app_version="1.0")
    target = f"/authorize?{urlencode(question)}"
    if person.log_in(target, email, password) != target:
        raise Broken("a login leads back to the question (P12)")

    def decide(decision: str) -> dict[str, list[str]]:
        page = person.open(target).must(200, "the question is asked")
        if "A stranger &amp; friends" not in page.text:
            raise Broken("the question names the client as text")
        answer = person.submit(page, "/api/auth/authorize", decision=decision)
        place = answer.must(303, "an answer leads to the client").headers["location"]
        if not place.startswith(f"{redirect}?"):
            raise Broken(f"an answer leads to the client, not to {place}")
        fields = parse_qs(urlsplit(place).query)
        if fields.pop("state") != [question["state"]]:
            raise Broken("the state comes back as it was sent")
        return fields

    if decide("deny") != {"error": ["access_denied"]}:
        raise Broken("a no is access_denied")
    spoiled, good = decide("allow"), decide("allow")
    if list(good) != ["code"]:
        raise Broken("the redirect carries nothing but the code (P15)")

    def redeem(code: str, verifier: str) -> Answer:
        body = {"code": code, "code_verifier": verifier, "redirect_uri": redirect}
        return service.call("POST", "token", body=body)

    redeem(spoiled["code"][0], secrets.token_urlsafe(48)).must(400, "the verifier counts (P17)")
    redeem(spoiled["code"][0], verifier).must(400, "a code is burned by a wrong try (P18)")
    issued = redeem(good["code"][0], verifier).must(200, "a code gives a token (P35)").json
    again = redeem(good["code"][0], verifier).must(400, "a code is burned by a right try (P18)")
    if again.json["error"] != "invalid_grant":
        raise Broken("a burned code is invalid_grant")
    token = str(issued["token"])
    if not token.startswith("plt_") or len(token) < 47 or issued["kind"] != "DEVICE":
        raise Broken("a device gets plt_ and 256 bits (P3, P14)")
    if not issued["device_id"] or issued["user"]["email"] != email:
        raise Broken("the answer names device and person")
    return token


def _credentials(service: Service, device: str, email: str, password: str) -> None:
    """Which credential may do what, and that a bad one is nothing but bad."""
    person = Person(service)
    person.log_in("/devices", email, password)
    cookie = person.cookie
    kinds = [
        service.call("GET", "me", device).must(200, "a token is a session (P27)").json["auth_kind"],
        service.call("GET", "me", cookie=cookie).must(200, "a cookie too (P1)").json["auth_kind"],
    ]
    if kinds != ["DEVICE", "SESSION"]:
        raise Broken(f"the kind of credential is said (P29), not {kinds}")
    bad = f"plt_{secrets.token_urlsafe(32)}"
    service.call("GET", "me", bad, cookie).must(401, "a bad token never falls back (P30)")
    service.call("GET", "me").must(401, "nobody is nobody")
    question = _question("v", "platrium://callback")
    service.call("POST", "authorize", device, body=question).must(403, "no token approves (P13)")
    service.call("POST", "authorize", device, cookie, question).must(403, "nor with a cookie")
    service.call("POST", "authorize", bad, cookie, question).must(401, "nor a bad one")
    service.call("POST", "clients", device, body={"name": "x"}).must(403, "nor makes more (P37)")
    foreign = {"Cookie": cookie, "Content-Type": _JSON, "Origin": "https://evil.example"}
    page = service.send("POST", "/api/auth/authorize", foreign, json.dumps(question))
    page.must(403, "another site's script cannot approve")
    form = {"Cookie": cookie, "Content-Type": _FORM}
    sent = urlencode({**question, "decision": "allow"})
    page = service.send("POST", "/api/auth/authorize", form, sent)
    page.must(403, "another site's form cannot approve")


def _push_and_list(service: Service, device: str, email: str, password: str) -> None:
    """Push is the device's own; the list has no secrets; one end of a device is the end of both."""
    person = Person(service)
    person.log_in("/devices", email, password)
    made = service.call("POST", "clients", cookie=person.cookie, body={"name": "By hand"})
    app = str(made.must(201, "a browser makes a token by hand (P25, P37)").json["token"])
    push = {"transport": "APNS", "token": "push-secret"}
    service.call("PUT", "device/push", app, body=push).must(403, "an app has no push (P7)")
    service.call("PUT", "device/push", device, body=push).must(204, "a device has push (P39)")
    answer = service.call("GET", "clients", device).must(200, "the list is there (P36)")
    if "push-secret" in answer.text or "plt_" in answer.text:
        raise Broken("the list has no secrets (P43)")
    entries = answer.json["clients"]
    current = [entry for entry in entries if entry["current"]]
    if len(entries) != 2 or len(current) != 1 or current[0]["push_transport"] != "APNS":
        raise Broken(f"the list has both, the caller's flagged: {entries}")
    other = next(entry["id"] for entry in entries if not entry["current"])
    service.call("DELETE", "device/push", device).must(204, "push is cleared (P39)")
    service.call("DELETE", f"clients/{other}", device).must(204, "a client is revoked (P38)")
    service.call("GET", "me", app).must(401, "what is revoked is gone (P9)")
    service.call("POST", "logout", cookie=person.cookie).must(204, "a browser logs out (P40)")
    service.call("GET", "me", cookie=person.cookie).must(401, "and is logged out")


def _limits(service: Service, device: str) -> None:
    """Too many tries for a token are held up, by a time that is named; a logout ends the token."""
    for _ in range(200):
        answer = service.call("POST", "token", body={"code": "guess"})
        if answer.status == 429:
            break
        answer.must(400, "a guess is refused")
    else:
        raise Broken("nobody counts the tries (P33)")
    if not 0 < int(answer.headers.get("retry-after", "0")) <= 3600:
        raise Broken("the wait is named (P33)")
    service.call("GET", "me", device).must(200, "only the token endpoint is limited (P48)")
    service.call("POST", "logout", device).must(204, "a token logs out (P40)")
    service.call("GET", "me", device).must(401, "and is gone")


@contextmanager
def _sandbox(core: str) -> Iterator[dict[str, Any]]:
    process = subprocess.Popen([core, "sandbox", "--json"], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield json.loads(line)
    finally:
        process.terminate()
        process.wait(timeout=10)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
