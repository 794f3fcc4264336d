"""The calls: HTTP with JSON, and the token in a header."""

import aiohttp


class Refused(Exception):
    """The server refused a call or an event. `code` says why."""

    def __init__(self, what: str, code: str):
        super().__init__(f"{what} was refused: {code}")
        self.code = code


class Calls:
    def __init__(self, http: aiohttp.ClientSession, server: str):
        self._http = http
        self._server = server
        self.token = ""

    async def call(self, name: str, **payload) -> dict:
        headers = {"x-access-token": self.token} if self.token else {}
        url = f"{self._server}/user/api/{name}"
        async with self._http.post(url, json=payload, headers=headers) as response:
            answer = await response.json()
            if response.status >= 400:
                raise Refused(name, answer["code"])
            return answer

    async def sign_in(self, login: str, password: str) -> None:
        answer = await self.call("login", user_email=login, user_password=password)
        self.token = answer["user"]["authToken"]

    async def channels(self) -> list[dict]:
        return (await self.call("getAllChannels"))["res"]

    async def sign_out(self) -> None:
        await self.call("logout")
