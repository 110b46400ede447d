"""A headless Chromium driven over its pipe, with the keyboard only. The standard library is enough.

Chromium speaks its DevTools protocol over two file descriptors: JSON messages, each ended by a zero
byte (`--remote-debugging-pipe`).
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_KEYS = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    " ": ("Space", 32, " "),
}
_PATIENCE = 20.0


class BrowserError(Exception):
    """The browser did not do what was asked; the words say what."""


def find_browser() -> str | None:
    """The browser's program, if this machine has one."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One browser with one page, and nothing kept from earlier ones."""

    def __init__(self, program: str, *options: str) -> None:
        """Starts it. `options` are further words of its command line."""
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        words = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--lang=en",
            "--remote-debugging-pipe", f"--user-data-dir={self._home.name}/profile", *options,
            "about:blank",
        ]  # fmt: skip
        def take_pipes() -> None:
            # Chromium reads descriptor 3 and writes descriptor 4; ours may have those numbers.
            ours = [os.dup(to_browser), os.dup(from_browser)]
            spare = [os.dup2(end, 100 + place) for place, end in enumerate(ours)]
            for place, end in enumerate(spare):
                os.dup2(end, 3 + place)

        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._home.name},
            close_fds=False,
            preexec_fn=take_pipes,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._input, self._output = from_us, to_us
        os.set_blocking(self._output, False)
        self._held = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """Ends it and forgets everything."""
        self._process.terminate()
        self._process.wait(timeout=10)
        os.close(self._input)
        os.close(self._output)
        self._home.cleanup()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # MARK: The protocol

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command and its result."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._input, json.dumps(message).encode() + b"\0")
        number = self._last
        answer = self._await(lambda message: message.get("id") == number, method)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error'].get('message')}")
        return dict(answer["result"])

    def _await(self, suits: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            message = self._next(until)
            if message is None:
                break
            if "method" in message:
                self.events.append(message)
            if suits(message):
                return message
        raise BrowserError(f"no answer: {what}")

    def _next(self, until: float) -> dict[str, Any] | None:
        while b"\0" not in self._held:
            try:
                piece = os.read(self._output, 1 << 16)
            except BlockingIOError:
                if time.monotonic() > until:
                    return None
                time.sleep(0.005)
                continue
            if not piece:
                raise BrowserError("the browser has ended")
            self._held += piece
        text, self._held = self._held.split(b"\0", 1)
        return dict(json.loads(text))

    # MARK: What a person does

    def open(self, url: str) -> None:
        """Goes to an address and waits until the page is there."""
        self._settled(lambda: self.call("Page.navigate", url=url))

    def press(self, key: str) -> None:
        """Presses one key: Tab, Enter, a space, or a character."""
        name, code, text = _KEYS.get(key, ("", 0, key))
        parameters = {"key": key, "code": name, "windowsVirtualKeyCode": code}
        down = {**parameters, "type": "keyDown", "text": text} if text else parameters
        self.call("Input.dispatchKeyEvent", **{"type": "rawKeyDown", **down})
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def press_to_go(self, key: str) -> None:
        """Presses a key that leads to another page, and waits for that."""
        self._settled(lambda: self.press(key))

    def type(self, text: str) -> None:
        """Types a text."""
        for character in text:
            self.press(character)

    def _settled(self, act: Callable[[], object]) -> None:
        self.events.clear()
        act()
        loaded = "Page.loadEventFired"
        if not any(event["method"] == loaded for event in self.events):
            self._await(lambda message: message.get("method") == loaded, "the page")

    # MARK: What a person sees

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {result['exceptionDetails'].get('text')}")
        return result["result"].get("value")

    def picture(self, path: Path) -> None:
        """Writes what is shown, the whole page, as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1},
        )
        path.write_bytes(base64.b64decode(shot["data"]))

    def show(self, *, width: int, height: int, dark: bool) -> None:
        """The size of the window, and whether the person likes it dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        scheme = "dark" if dark else "light"
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def forbid_scripts(self) -> None:
        """Pages run no script from now on."""
        self.call("Emulation.setScriptExecutionDisabled", value=True)
