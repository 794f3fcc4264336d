"""Signs in and lists channels, or enters one's room: then a word a line, `talk`, `stop`, `quit`."""

import argparse
import asyncio
import getpass
import os
import sys

import aiohttp

from calls import Calls
from room import Room
from voice import Ear, Microphone, read_voice


def say(text: str) -> None:
    print(text, flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="such as http://127.0.0.1:3000")
    parser.add_argument("login")
    parser.add_argument("channel", nargs="?", help="its name; without one the channels are listed")
    parser.add_argument("--by", choices=("floor", "mic"), default="floor", help="how to ask for the floor")
    parser.add_argument("--say", help="WAV file: 48 kHz, mono, 16 bit")
    parser.add_argument("--hear", help="WAV file to write what is heard to")
    return parser.parse_args()


async def lines():
    """The lines that somebody types, without waiting for them."""
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        yield line.strip()


async def main() -> None:
    wanted = read_arguments()
    password = os.environ.get("PRESSEL_PASSWORD") or getpass.getpass()
    async with aiohttp.ClientSession() as http:
        calls = Calls(http, wanted.server.rstrip("/"))
        await calls.sign_in(wanted.login, password)
        channels = await calls.channels()
        chosen = [channel for channel in channels if channel["name"] == wanted.channel]
        if not chosen:
            for channel in channels:
                say(f"{channel['name']}: {channel['connected']}/{channel['userCount']}")
            await calls.sign_out()
            return
        ear = Ear(wanted.hear, say)
        room = Room(Microphone(read_voice(wanted.say)), ear, by_floor=wanted.by == "floor", say=say)
        await room.enter(wanted.server, calls.token, chosen[0]["rtcSession"])
        async for word in lines():
            if word == "talk":
                await room.press()
            elif word == "stop":
                await room.release()
            elif word == "quit":
                break
        await room.leave()
        ear.close()
        await calls.sign_out()


if __name__ == "__main__":
    asyncio.run(main())
