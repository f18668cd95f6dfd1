"""Play Terra Nova with random legal actions in PettingZoo.

pip install 'terrarium-games[pettingzoo]'
python examples/pettingzoo_random.py
"""

from __future__ import annotations

import argparse

from terrarium.envs.pettingzoo import env


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    table = env(game="nova", players=chosen.players, render_mode="ansi", stall_rounds=5)
    table.reset(seed=chosen.seed)
    for seat, agent in enumerate(table.agents):
        table.action_space(agent).seed(chosen.seed + seat)
    won: dict[str, float] = {}
    for agent in table.agent_iter():
        seen, reward, is_over, is_cut, _ = table.last()
        won[agent] = won.get(agent, 0.0) + reward
        if is_over or is_cut:
            table.step(None)
        else:
            table.step(table.action_space(agent).sample(seen["action_mask"]))
    print(table.render())
    print("rewards", won)
    table.close()


if __name__ == "__main__":
    main()
