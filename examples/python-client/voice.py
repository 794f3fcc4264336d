"""The voice: one WebRTC connection to each other participant, kept from entering to leaving."""

import array
import asyncio
import fractions
import math
import time
import uuid
import wave

from aiortc import (
    MediaStreamTrack,
    RTCConfiguration,
    RTCIceServer,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError
from aiortc.sdp import candidate_from_sdp
from av import AudioFrame

RATE = 48_000
FRAME = RATE // 50  # 20 ms
SILENCE = bytes(2 * FRAME)
TAIL_S = 0.3  # Whoever talked last is played so long after the floor became idle.


def read_voice(path: str | None) -> bytes:
    """Returns samples of 16 bit, mono, 48 kHz: those of a WAV file, or a tone of a second."""
    if path is None:
        tone = (int(9_000 * math.sin(2 * math.pi * 440 * at / RATE)) for at in range(RATE))
        return array.array("h", tone).tobytes()
    with wave.open(path) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        return file.readframes(file.getnframes())


class Microphone:
    """The voice while it is on: the same sound again and again. Off, it is silent."""

    def __init__(self, voice: bytes):
        self._voice = voice
        self._on_since: float | None = None

    def set(self, is_on: bool) -> None:
        if is_on != (self._on_since is not None):
            self._on_since = time.monotonic() if is_on else None

    def frame(self) -> bytes:
        if self._on_since is None:
            return SILENCE
        at = int((time.monotonic() - self._on_since) * 50) * 2 * FRAME % len(self._voice)
        return (self._voice[at:] + self._voice)[: 2 * FRAME]


class MicrophoneTrack(MediaStreamTrack):
    """The microphone as one connection sends it: a frame every 20 ms, even of silence."""

    kind = "audio"

    def __init__(self, microphone: Microphone):
        super().__init__()
        self._microphone = microphone
        self._frames = 0
        self._start = time.monotonic()

    async def recv(self) -> AudioFrame:
        await asyncio.sleep(max(0, self._start + self._frames / 50 - time.monotonic()))
        frame = AudioFrame(format="s16", layout="mono", samples=FRAME)
        frame.planes[0].update(self._microphone.frame())
        frame.sample_rate = RATE
        frame.pts = self._frames * FRAME
        frame.time_base = fractions.Fraction(1, RATE)
        self._frames += 1
        return frame


class Ear:
    """Plays only participants whom the newest floor names as talkers. Here it writes them to a file."""

    def __init__(self, path: str | None, say):
        self._file = None
        self._say = say
        self._heard = 0
        if path is not None:
            self._file = wave.open(path, "wb")
            self._file.setparams((1, 2, RATE, 0, "NONE", ""))
        self._audible: dict[str, float] = {}

    def follow(self, talkers: set[str]) -> None:
        now = time.monotonic()
        for talker in [one for one in self._audible if one not in talkers]:
            # Another one's talk silences the last talker at once.
            until = now if talkers else min(self._audible[talker], now + TAIL_S)
            self._audible[talker] = until
        self._audible.update(dict.fromkeys(talkers, math.inf))

    def hear(self, participant: str, samples: bytes) -> None:
        if self._audible.get(participant, 0) <= time.monotonic():
            return
        if self._file is not None:
            self._file.writeframes(samples)
        before, self._heard = self._heard // RATE, self._heard + len(samples) // 2
        if self._heard // RATE > before:
            self._say(f"heard {self._heard // RATE} s")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class Link:
    """The connection to one participant. `send(event, payload)` passes a signal to the server."""

    def __init__(self, other: str, name: str | None, is_offerer: bool, ice: dict, microphone: Microphone, ear: Ear, send):
        self.name = name
        self.is_unanswered = is_offerer
        self._other = other
        self._send = send
        self._ear = ear
        self._early: list[dict | None] = []
        servers = [RTCIceServer(**server) for server in ice["iceServers"]]
        self._connection = RTCPeerConnection(RTCConfiguration(iceServers=servers))
        self._connection.addTrack(MicrophoneTrack(microphone))
        self._connection.on("track", lambda track: asyncio.ensure_future(self._listen(track)))

    @property
    def state(self) -> str:
        return self._connection.connectionState

    async def offer(self) -> None:
        # The description has all candidates: aiortc gathers them first.
        await self._connection.setLocalDescription(await self._connection.createOffer())
        await self._signal("offer")

    async def take_offer(self, sdp: dict) -> None:
        await self._describe(sdp)
        await self._connection.setLocalDescription(await self._connection.createAnswer())
        await self._signal("answer")

    async def take_answer(self, sdp: dict) -> None:
        if self.is_unanswered:
            self.is_unanswered = False
            await self._describe(sdp)

    async def take_candidate(self, candidate: dict | None) -> None:
        if self._connection.remoteDescription is None:
            self._early.append(candidate)
        elif candidate is not None and candidate["candidate"] != "":
            parsed = candidate_from_sdp(candidate["candidate"].split(":", 1)[1])
            parsed.sdpMid = candidate.get("sdpMid")
            parsed.sdpMLineIndex = candidate.get("sdpMLineIndex")
            await self._connection.addIceCandidate(parsed)

    async def close(self) -> None:
        await self._connection.close()

    async def _describe(self, sdp: dict) -> None:
        await self._connection.setRemoteDescription(RTCSessionDescription(sdp["sdp"], sdp["type"]))
        early, self._early = self._early, []
        for candidate in early:
            await self.take_candidate(candidate)

    async def _signal(self, kind: str) -> None:
        description = {"type": kind, "sdp": self._connection.localDescription.sdp}
        payload = {"sdp": description, f"{kind}ReceiveID": self._other}
        await self._send(kind, payload if self.name is None else {**payload, "link": self.name})

    async def _listen(self, track: MediaStreamTrack) -> None:
        try:
            while True:
                frame = await track.recv()
                samples = array.array("h", bytes(frame.planes[0])[: 2 * frame.samples * len(frame.layout.channels)])
                self._ear.hear(self._other, samples[:: len(frame.layout.channels)].tobytes())
        except MediaStreamError:
            pass  # The connection was closed.


def new_name() -> str:
    return str(uuid.uuid4())
