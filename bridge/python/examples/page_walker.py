"""A browser for tests: opens a sign-in page and fills its forms, without drawing anything.

It knows no server's pages. A form with a password field is the sign-in form, or that of a new account
if it wants an e-mail address too; any other form is a question, answered with the button that agrees.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPMessage
from http.cookiejar import CookieJar
from typing import Callable, List, Optional, Tuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

_MOST_PAGES = 20
_REFUSING = re.compile(r"deny|denied|cancel|reject|refuse|decline|back|\bno\b", re.IGNORECASE)
_NAME_FIELDS = re.compile(r"handle|identifier|user|login|account|email", re.IGNORECASE)


class PageError(Exception):
    """The pages did not lead where a sign-in should."""


@dataclass
class Button:
    """A submit button, and what pressing it says."""

    name: str = ""
    value: str = ""
    text: str = ""
    action: str = ""

    def refuses(self) -> bool:
        """Whether the button says no."""
        return bool(_REFUSING.search(f"{self.name} {self.value} {self.text}"))


@dataclass
class Form:
    """One form of a page: what it sends, and what a person would fill in."""

    action: str
    method: str
    fields: List[Tuple[str, str]] = field(default_factory=list)
    name_field: str = ""
    email_field: str = ""
    password_field: str = ""
    buttons: List[Button] = field(default_factory=list)

    def button(self, refusing: bool) -> Button:
        """The button that goes on, or the one that says no; a form without is sent as it is."""
        found = (button for button in self.buttons if button.refuses() == refusing)
        return next(found, Button())


class FormReader(HTMLParser):
    """Collects the forms of a page, and its text for error messages."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: List[Form] = []
        self.text: List[str] = []
        self._form: Optional[Form] = None
        self._button: Optional[Button] = None
        self._silent = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: List[Tuple[str, Optional[str]]]) -> None:
        """Notes forms, fields and buttons."""
        attributes = {name: value or "" for name, value in attrs}
        if tag in ("script", "style"):
            self._silent += 1
        elif tag == "form":
            method = attributes.get("method", "get").lower()
            self._form = Form(attributes.get("action", ""), method)
            self.forms.append(self._form)
        elif self._form is not None and tag in ("input", "button"):
            self._field(self._form, tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        """Ends forms and buttons."""
        if tag == "form":
            self._form = None
        elif tag == "button":
            self._button = None
        elif tag in ("script", "style"):
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        """Collects the words of the page and of its buttons."""
        if self._silent == 0 and data.strip():
            self.text.append(data.strip())
        if self._button is not None:
            self._button.text += data

    def _field(self, form: Form, tag: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("type", "submit" if tag == "button" else "text").lower()
        name, value = attributes.get("name", ""), attributes.get("value", "")
        if kind in ("submit", "image"):
            button = Button(name, value, value, attributes.get("formaction", ""))
            form.buttons.append(button)
            self._button = button if tag == "button" else None
        elif kind == "password":
            form.password_field = name
        elif kind == "email" and form.name_field:  # beside a name: somebody new
            form.email_field = name
        elif kind in ("text", "email"):
            if not form.name_field or _NAME_FIELDS.search(name):
                form.name_field = name
            form.fields.append((name, value))
        elif kind in ("checkbox", "radio"):
            if "checked" in attributes:
                form.fields.append((name, value or "on"))
        elif kind not in ("button", "reset", "file") and name:
            form.fields.append((name, value))


@dataclass
class Page:
    """Where a request led: an address, and the HTML there if a browser would show it."""

    url: str
    html: Optional[str]


class PageWalker:
    """One visit with its own cookies."""

    def __init__(
        self, name: str, password: str, wish: str = "agree", new_name: str = "new.signup.test"
    ) -> None:
        """Signs in as `name`, which is a handle or an e-mail address; `new_name` where one is made.

        Whoever's `wish` it is to ``deny`` signs in and says no; to ``cancel``, leaves before.
        """
        self._name = name
        self._password = password
        self._wish = wish
        self._new_name = new_name
        self._has_signed_in = False
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()), _NoRedirects())

    def walk(self, url: str, is_end: Callable[[str], bool]) -> str:
        """Goes on from page to page until an address `is_end`, and returns that address.

        An http address at the end is visited, as a browser does; any other is not.

        Raises:
            PageError: a page has no form to go on with, or cannot be opened.
        """
        page = self._open(Request(url), is_end)
        for _ in range(_MOST_PAGES):
            if is_end(page.url):
                return page.url
            page = self._open(self._filled(page), is_end, came_from=page.url)
        raise PageError("The sign-in pages do not come to an end.")

    def _filled(self, page: Page) -> Request:
        """The request of the page's form, filled in."""
        reader = FormReader(page.html or "")
        form = next((form for form in reader.forms if form.password_field), None)
        form = form or next((form for form in reader.forms), None)
        if form is None:
            words = " ".join(reader.text)[:200] or "It is empty."
            raise PageError(f"The page at {_address(page.url)} has no form. {words}")
        fields = list(form.fields)
        if form.password_field:
            if self._has_signed_in:
                raise PageError(f"The sign-in was refused. {' '.join(reader.text)[:200]}")
            self._has_signed_in = True
            fields = [pair for pair in fields if pair[0] != form.name_field]
            name = self._new_name if form.email_field else self._name
            fields += [(form.name_field, name)] if form.name_field else []
            fields += [(form.email_field, f"me@{name}")] if form.email_field else []
            fields += [(form.password_field, self._password)]
        is_asked = not form.password_field
        button = form.button(self._wish == "cancel" or (self._wish == "deny" and is_asked))
        if button.name:
            fields.append((button.name, button.value))
        target = urljoin(page.url, button.action or form.action)
        if form.method == "post":
            return Request(target, urlencode(fields).encode("ascii"), method="POST")
        return Request(target.split("?")[0] + "?" + urlencode(fields))

    def _open(
        self, request: Request, is_end: Callable[[str], bool], came_from: Optional[str] = None
    ) -> Page:
        """Opens an address and follows where it leads, as far as a browser would."""
        for _ in range(_MOST_PAGES):
            _add_browser_headers(request, came_from)
            try:
                with self._opener.open(request, timeout=30) as response:
                    html = response.read().decode("utf-8", "replace")
                    return Page(request.full_url, html)
            except HTTPError as answer:
                location = answer.headers.get("Location")
                if answer.code // 100 != 3 or location is None:
                    words = " ".join(FormReader(answer.read().decode("utf-8", "replace")).text)
                    place = _address(request.full_url)
                    raise PageError(f"{place} answers {answer.code}. {words[:200]}") from answer
            except URLError as error:
                place = _address(request.full_url)
                raise PageError(f"{place} cannot be opened: {error.reason}") from error
            target = urljoin(request.full_url, location)
            if urlsplit(target).scheme not in ("http", "https"):
                if not is_end(target):
                    raise PageError(f"The sign-in leads to {_address(target)}, not to the app.")
                return Page(target, None)
            came_from, request = request.full_url, Request(target)
        raise PageError("The sign-in pages only lead in circles.")


class _NoRedirects(HTTPRedirectHandler):
    """Leaves every redirect to the walker, which may have to stop at it."""

    def redirect_request(  # noqa: PLR0913 (the signature is the standard library's)
        self, req: Request, fp: object, code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """Never follows."""
        return


def _add_browser_headers(request: Request, came_from: Optional[str]) -> None:
    """What a browser sends when a person goes to a page; some servers insist on it."""
    site = "none"
    if came_from is not None:
        site = "same-origin" if _origin(came_from) == _origin(request.full_url) else "cross-site"
    request.add_header("Sec-Fetch-Site", site)
    request.add_header("Sec-Fetch-Mode", "navigate")
    request.add_header("Sec-Fetch-Dest", "document")
    request.add_header("Accept", "text/html")
    if request.data is not None and came_from is not None:
        request.add_header("Origin", _origin(came_from))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _address(url: str) -> str:
    """An address fit for an error message: a query may hold secrets."""
    return url.split("?")[0]


if __name__ == "__main__":
    # As a browser: BROWSER="python3 page_walker.py %s" signs in to the sandbox as alice.test.
    PageWalker("alice.test", "sandbox").walk(sys.argv[1], lambda url: "code=" in url)
