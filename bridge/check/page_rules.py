"""What every page a person meets has to be: readable, narrow enough, usable with the keyboard."""

from __future__ import annotations

from typing import Any

from browser import Browser

# Everything that is looked at in a page, as one expression for the browser. Contrast after WCAG 2.2,
# 1.4.3 (text) and 1.4.11 (the edge of a field), sizes after 2.5.8.
_LOOK = r"""
(() => {
  const faults = [];
  const name = e => `<${e.tagName.toLowerCase()}> “${(e.value || e.textContent || "").trim()
    .replace(/\s+/g, " ").slice(0, 40)}”`;
  const colour = text => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return { rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const over = (top, below) => top.rgb.map((v, i) => v * top.alpha + below[i] * (1 - top.alpha));
  const ground = e => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      layers.push(colour(getComputedStyle(at).backgroundColor));
    }
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches
      && getComputedStyle(document.documentElement).colorScheme.includes("dark");
    const canvas = isDark ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((below, layer) => over(layer, below), canvas);
  };
  const light = rgb => {
    const [r, g, b] = rgb.map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [more, less] = [light(a), light(b)].sort((x, y) => y - x);
    return (more + 0.05) / (less + 0.05);
  };
  const isShown = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";

  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth) faults.push(`it is ${page.scrollWidth} wide in ${innerWidth}`);
  for (const e of document.querySelectorAll("body *")) {
    if (!isShown(e)) continue;
    const box = e.getBoundingClientRect();
    if (box.right > innerWidth + 0.5 || box.left < -0.5) faults.push(`${name(e)} sticks out`);
    const style = getComputedStyle(e);
    const hasText = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
      || e.matches("input:not([type=hidden]):not([type=checkbox])");
    if (hasText) {
      const below = ground(e);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
      const ratio = contrast(over(colour(style.color), below), below);
      if (ratio < (isLarge ? 3 : 4.5)) faults.push(`${name(e)} has contrast ${ratio.toFixed(2)}`);
      if (size < 12) faults.push(`${name(e)} is ${size} pixels small`);
      if (e.scrollWidth > e.clientWidth + 1 && style.overflowX === "visible"
        && style.display !== "inline") faults.push(`${name(e)} runs over`);
    }
    if (e.matches("input:not([type=hidden]):not([type=checkbox])")) {
      const ratio = contrast(over(colour(style.borderTopColor), ground(e.parentElement)),
        ground(e.parentElement));
      if (ratio < 3) faults.push(`the edge of field ${e.name} has contrast ${ratio.toFixed(2)}`);
    }
    if (e.matches("button, input:not([type=hidden]), summary") && !e.closest("label")) {
      if (box.height < 24 || box.width < 24) faults.push(`${name(e)} is too small to hit`);
    }
  }
  if (!document.title) faults.push("it has no title");
  if (!document.documentElement.lang) faults.push("it does not say its language");
  if (document.querySelectorAll("h1").length !== 1) faults.push("it has not one heading");
  if (document.querySelectorAll("main").length !== 1) faults.push("it has no main part");
  return faults;
})()
"""

_FOCUSABLE = (
    "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), summary')]"
    ".filter(e => e.getClientRects().length).length"
)

# Which of them has the focus, and whether that shows.
_FOCUS = r"""
(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), summary")];
  const style = getComputedStyle(e);
  const box = e.getBoundingClientRect();
  return {
    place: all.filter(e => e.getClientRects().length).indexOf(e),
    shows: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    isInView: box.top >= 0 && box.bottom <= innerHeight,
    name: (e.matches("input") ? e.name : e.textContent).trim(),
  };
})()
"""

_ROLES = ("button", "textbox", "checkbox", "link", "heading", "DisclosureTriangle")


def faults(browser: Browser) -> list[str]:
    """Everything that is wrong with the page shown."""
    found: list[str] = list(browser.ask(_LOOK))
    found += _nameless(browser)
    for event in browser.events:
        if event["method"] == "Log.entryAdded":
            found.append(f"the browser complains: {event['params']['entry']['text']}")
    return found + _keyboard(browser)


def focus(browser: Browser) -> dict[str, Any] | None:
    """Where the keyboard is."""
    return browser.ask(_FOCUS)


def _nameless(browser: Browser) -> list[str]:
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = [(node.get("role", {}).get("value"), node) for node in nodes]
    return [
        f"a {role} has no name for those who cannot see it"
        for role, node in roles
        if role in _ROLES and not node.get("name", {}).get("value", "").strip()
    ]


def _keyboard(browser: Browser) -> list[str]:
    """Walks once around with the Tab key."""
    found: list[str] = []
    count = browser.ask(_FOCUSABLE)
    places: list[int] = []
    for _ in range(count + 2):
        browser.press("Tab")
        at = focus(browser)
        if at is None:
            continue
        if at["place"] in places:
            break
        places.append(at["place"])
        if not at["shows"]:
            found.append(f"the focus on “{at['name']}” cannot be seen")
        if not at["isInView"]:
            found.append(f"the focus on “{at['name']}” is out of view")
    if sorted(places) != list(range(count)):
        found.append(f"the Tab key reaches {sorted(places)} of {count}")
    start = places.index(min(places)) if places else 0
    if places[start:] + places[:start] != sorted(places):
        found.append(f"the Tab key jumps about: {places}")
    return found
