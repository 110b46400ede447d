"""The types of the schemas; mypy holds this file to them (an ignore it does not need is an error)."""

from __future__ import annotations

from grain_core import AsyncClient

from .support import CoreCase, answer, hear, subscribed


class Typed(CoreCase):
    """One client, two ways to look at it."""

    def test_params_results_and_states_have_the_types_of_the_schemas(self) -> None:
        core = self.core(
            hear("gallery.createDraft"),
            answer(accepted=True, revisions={}, draft="d-1"),
            *subscribed({"status": "idle", "phase": "signedOut", "can": []}),
        ).typed
        draft: str = core.call("gallery.createDraft")["draft"]
        self.assertEqual("d-1", draft)
        login = core.subscribe("login")
        phase: str = login.wait(lambda state: state["phase"] == "signedOut")["phase"]
        self.assertEqual("signedOut", phase)

    async def checked_on_a_loop_and_never_run(self) -> None:
        """The same on an event loop."""
        core = (await AsyncClient.spawn()).typed
        draft: str = (await core.call("gallery.createDraft"))["draft"]
        await core.call("gallery.setAlt", {"draft": draft, "photo": "p", "alt": ""})
        await core.call("gallery.setAlt", {"draft": draft})  # type: ignore[call-overload]
        await core.call("login.begin", {})  # type: ignore[call-overload]
        login = await core.subscribe("login")
        login.state["photoOrder"]  # type: ignore[typeddict-item]
        async for state in login:
            phase: str = state["phase"]
            self.assertEqual("signedOut", phase)

    def checked_and_never_run(self) -> None:
        """What a checker refuses."""
        core = self.core().typed
        core.call("login.submitHandle", {"handle": "alice.test"})
        core.call("login.submitHandle", {"name": "alice.test"})  # type: ignore[call-overload]
        core.call("login.submitHandle")  # type: ignore[call-overload]
        core.call("login.begin", {})  # type: ignore[call-overload]
        core.subscribe("login").state["photoOrder"]  # type: ignore[typeddict-item]
        core.subscribe("galleryPublish")  # type: ignore[call-overload]
        core.subscribe("galleryPublish", {"draft": "d-1"}).state["publishedUri"].split("/")
