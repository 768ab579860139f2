"""Whom a bot speaks as: the API key in GATEWAY_KEY, or EMAIL with PASSWORD, who signs up where there is no such user yet."""

import os

from venue_gateway import ApiKey, Errno, Gateway, GatewayError, Password, Who

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")


def me() -> Who:
    if key := os.environ.get("GATEWAY_KEY"):
        return ApiKey(key)
    person = Password(os.environ.get("EMAIL", "me@example.com"), os.environ.get("PASSWORD", "a good password"))
    with Gateway(URL) as anyone:
        try:
            anyone.post("auth/signup", {"email": person.email, "password": person.password})
        except GatewayError as refused:
            if refused.errno != Errno.USER_EXISTS:
                raise
    return person
