"""Challenges: propose a game to an account by its name, and answer."""

from __future__ import annotations

from typing import Any

from litestar import get, post
from litestar.params import FromPath, JSONBody

from terrarium.play.challenges import (
    Answer,
    ChallengeList,
    ChallengeView,
    NewChallenge,
    checked,
)
from terrarium.play.errors import Forbidden
from terrarium.play.people import Caller
from terrarium.server.api.common import ERRORS, CallerArg, ServicesArg

__all__ = ["HANDLERS"]


def _account(caller: Caller, scope: str) -> str:
    if caller.account is None:
        message = "challenges are between accounts: sign in, or send a token"
        raise Forbidden("sign-in-needed", message, status=401)
    caller.require(scope)
    return caller.account


@get("/api/challenges", responses=ERRORS, summary="My challenges")
async def list_challenges(services: ServicesArg, caller: CallerArg) -> ChallengeList:
    """The open challenges to and from this account, and those that ended in the last day."""
    account = _account(caller, "follow")
    found = await services.challenges.of_account(account)
    return ChallengeList([challenge.view(account) for challenge in found])


@post("/api/challenges", responses=ERRORS, summary="Challenge somebody")
async def challenge(
    data: JSONBody[NewChallenge], services: ServicesArg, caller: CallerArg
) -> ChallengeView:
    """Propose a game to an account; both players are notified when its status changes."""
    account = _account(caller, "play")
    services.limits.take("offer", caller.key, caller.address)
    challenger = await services.accounts.account(account)
    challenged = await services.accounts.named(data.to)
    # Reading a custom board takes a while.
    order = await services.work(lambda: checked(data))
    made = await services.challenges.create(
        challenger, challenged, order, by_bot=caller.token is not None
    )
    return made.view(account)


def _answer(answer: Answer, summary: str, description: str) -> Any:
    """The handler of one answer to a challenge."""

    @post(
        f"/api/challenges/{{challenge_id:str}}/{answer}",
        status_code=200,
        responses=ERRORS,
        summary=summary,
        description=description,
        operation_id=f"{answer}_challenge",
    )
    async def handler(
        challenge_id: FromPath[str], services: ServicesArg, caller: CallerArg
    ) -> ChallengeView:
        account = _account(caller, "play")
        services.limits.take("turn", caller.key, caller.address)
        found, game, head = await services.challenges.answer(
            challenge_id, account, answer, is_bot=caller.token is not None
        )
        if game is not None:
            services.tables.add(game.table, game.holders, head)
            await services.vacations.arrive_all(found.accounts, game.table)
        return found.view(account)

    return handler


ACCEPTED = "Accept a challenge: the game starts with both players seated; `game_id` is its id."

HANDLERS: list[Any] = [
    list_challenges,
    challenge,
    _answer("accept", "Accept a challenge", ACCEPTED),
    _answer("decline", "Decline a challenge", "Decline a challenge."),
    _answer("withdraw", "Withdraw a challenge", "Withdraw your challenge before it is answered."),
]
