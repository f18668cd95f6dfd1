"""Self-play like AlphaZero's: a small network guides a search, and learns from the games that it plays.

Games run in parallel in a `Batch`; to keep the example short, the search looks only one action ahead with the network's value.

pip install 'terrarium-games[rl]'
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

from terrarium import games
from terrarium.envs.batch import Batch


class Network(nn.Module):
    """Computes policy and value from planes; the value is for the seat to move."""

    def __init__(self, planes: tuple[int, int, int], actions: int, width: int = 32) -> None:
        super().__init__()
        count, rows, columns = planes
        self.body = nn.Sequential(
            nn.Conv2d(count, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.policy = nn.Linear(width * rows * columns, actions)
        self.value = nn.Linear(width * rows * columns, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = self.body(planes)
        return self.policy(found), torch.tanh(self.value(found)).squeeze(-1)


def looked_ahead(network: Network, batch: Batch, candidates: int) -> np.ndarray:
    """A distribution over actions for each game: the policy's best candidates, weighted by the value after them."""
    seen, masks = torch.from_numpy(batch.observe()), torch.from_numpy(batch.masks()).bool()
    logits, _ = network(seen)
    logits = logits.masked_fill(~masks, -1e9)
    target = np.zeros((batch.size, batch.num_actions), dtype=np.float32)
    best = logits.topk(candidates).indices.numpy()
    for index in range(batch.size):
        position = batch.position(index)
        seat = position.to_move
        ids = [id for id in best[index].tolist() if masks[index, id]]
        after = [position.play(id) for id in ids]
        views = np.stack(
            [batch.planes.observe(p, seat if p.to_move is None else p.to_move) for p in after]
        )
        values = network(torch.from_numpy(views))[1].numpy()
        for number, found in enumerate(after):
            if found.outcome is not None:
                values[number] = 2 * found.outcome.shares(2)[seat] - 1
            elif found.to_move != seat:
                values[number] = -values[number]
        weights = np.exp(logits[index, ids].softmax(0).numpy() + 4 * values)
        target[index, ids] = weights / weights.sum()
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=32, help="games in parallel")
    parser.add_argument(
        "--actions", type=int, default=400, help="actions per game and round of training"
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--longest", type=int, default=10, help="most rounds of a game")
    parser.add_argument("--candidates", type=int, default=8)
    chosen = parser.parse_args()
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    batch = Batch(games["turrium"].start(max_rounds=chosen.longest), chosen.games, seed=1)
    network = Network(batch.planes.shape, batch.num_actions)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    for number in range(1, chosen.rounds + 1):
        seen: list[np.ndarray] = []
        targets: list[np.ndarray] = []
        waiting: list[list[tuple[int, int]]] = [[] for _ in range(batch.size)]
        results: dict[int, float] = {}
        for step in range(chosen.actions):
            seats = batch.to_move()
            seen.append(batch.observe())
            with torch.no_grad():
                targets.append(looked_ahead(network, batch, chosen.candidates))
            actions = [rng.choice(batch.num_actions, p=row / row.sum()) for row in targets[-1]]
            for index in range(batch.size):
                waiting[index].append((step * batch.size + index, int(seats[index])))
            won, ended = batch.step(np.array(actions))
            for index in np.flatnonzero(ended).tolist():
                results |= {row: float(won[index, seat]) for row, seat in waiting[index]}
                waiting[index] = []
        rows = np.array(sorted(results)) if results else np.arange(len(seen) * batch.size)
        planes = torch.from_numpy(np.concatenate(seen)[rows])
        policy = torch.from_numpy(np.concatenate(targets)[rows])
        value = torch.tensor([results.get(int(row), 0.0) for row in rows])
        for _ in range(4):
            logits, guessed = network(planes)
            loss = cross_entropy(logits, policy) + mse_loss(guessed, value)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        print(f"round {number}: {len(results)} positions of finished games, loss {loss.item():.3f}")
        batch.reset()


if __name__ == "__main__":
    main()
