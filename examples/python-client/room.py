"""The room: a socket, who is there, and the floor."""

import asyncio

import socketio

from calls import Refused
from voice import Ear, Link, Microphone, new_name

BEAT_S = 1.0  # BEAT_MS
RENEW_S = 0.6  # FLOOR_RENEW_MS


class Room:
    """A participant's stay in a room. `by_floor`: it talks by floor_request, otherwise by micStateChange alone."""

    def __init__(self, microphone: Microphone, ear: Ear, by_floor: bool, say):
        self._microphone = microphone
        self._ear = ear
        self._by_floor = by_floor
        self._say = say
        self._socket = socketio.AsyncClient(reconnection=False)
        self._links: dict[str, Link] = {}
        self._floor: dict = {"version": -1}
        self._state: dict = {}
        self._seq = 0
        self._pressed = False
        self._tasks: list[asyncio.Task] = []
        handlers = {
            "getOffer": self._on_offer,
            "getAnswer": self._on_answer,
            "getCandidate": self._on_candidate,
            "user_exit": self._on_exit,
            "floor_changed": self._on_floor,
            "floor_reply": self._on_reply,
            "room_closed": lambda closed: self._say(f"closed {closed['reason']}"),
        }
        for event, handler in handlers.items():
            self._socket.on(event, handler)

    async def enter(self, server: str, token: str, room: str) -> None:
        await self._socket.connect(server, auth={"token": token}, transports=["websocket"])
        self._state = await self._ask("join_room", {"room": room})
        self._on_floor(self._state["floor"])
        # The newcomer makes an offer to each who is there.
        for other in self._state["participants"]:
            await self._build(other["id"], new_name(), is_offerer=True).offer()
        self._tasks.append(asyncio.ensure_future(self._beat()))
        self._say(f"entered {self._state['channel']['name']} with {len(self._state['participants'])} others")

    async def leave(self) -> None:
        self._microphone.set(False)
        for task in self._tasks:
            task.cancel()
        for link in self._links.values():
            await link.close()
        await self._ask("leave_room", {})
        await self._socket.disconnect()

    async def press(self) -> None:
        self._pressed = True
        if not self._by_floor:
            self._follow(await self._ask("micStateChange", {"micState": True}))
            return
        self._seq += 1
        reply = await self._ask("floor_request", {"seq": self._seq, "queue": True})
        self._tasks.append(asyncio.ensure_future(self._renew(self._seq)))
        self._follow(reply)

    async def release(self) -> None:
        # Closes the microphone first, whatever the server answers.
        self._pressed = False
        self._microphone.set(False)
        if self._by_floor:
            self._seq += 1
            await self._ask("floor_release", {"seq": self._seq})
        else:
            await self._ask("micStateChange", {"micState": False})
        self._say("released")

    def _follow(self, reply: dict) -> None:
        """Handles what the server says about this client's own claim."""
        is_granted = reply["type"] == "granted"
        if is_granted and not self._pressed:
            return
        self._microphone.set(is_granted)
        if reply["type"] in ("denied", "revoked"):
            self._pressed = False
        self._say(reply["type"])

    def _on_reply(self, reply: dict) -> None:
        if not self._by_floor or reply["seq"] == self._seq:
            self._follow(reply)

    def _on_floor(self, floor: dict) -> None:
        if floor["version"] <= self._floor["version"]:
            return
        self._floor = floor
        self._ear.follow({talker["id"] for talker in floor["talkers"]})
        self._say("floor " + (", ".join(talker["name"] for talker in floor["talkers"]) or "idle"))

    async def _renew(self, seq: int) -> None:
        while self._pressed and self._seq == seq:
            await self._ask("floor_renew", {"seq": seq})
            await asyncio.sleep(RENEW_S)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            answer = await self._ask("beat", {"version": self._floor["version"]})
            if "floor" in answer:
                self._on_floor(answer["floor"])

    async def _on_offer(self, signal: dict) -> None:
        other, name = signal["offerSendID"], signal.get("link")
        known = self._links.get(other)
        # If two offers cross, the one of the greater id wins.
        if known is not None and known.is_unanswered and self._state["self"]["id"] > other:
            return
        if known is not None:
            await known.close()
        await self._build(other, name, is_offerer=False).take_offer(signal["sdp"])

    async def _on_answer(self, signal: dict) -> None:
        link = self._current(signal["answerSendID"], signal.get("link"))
        if link is not None:
            await link.take_answer(signal["sdp"])

    async def _on_candidate(self, signal: dict) -> None:
        link = self._current(signal["candidateSendID"], signal.get("link"))
        if link is not None:
            await link.take_candidate(signal["candidate"])

    async def _on_exit(self, left: dict) -> None:
        link = self._links.pop(left["id"], None)
        if link is not None:
            await link.close()

    def _current(self, other: str, name: str | None) -> Link | None:
        """Returns the connection to which a signal belongs; None if that was replaced."""
        link = self._links.get(other)
        return link if link is not None and name in (None, link.name) else None

    def _build(self, other: str, name: str | None, is_offerer: bool) -> Link:
        ice = self._state["ice"]
        link = Link(other, name, is_offerer, ice, self._microphone, self._ear, self._ask)
        self._links[other] = link
        return link

    async def _ask(self, event: str, payload: dict) -> dict:
        answer = await self._socket.call(event, payload, timeout=20)
        if not answer["ok"]:
            raise Refused(event, answer["code"])
        return answer["data"]
