"""TorchRL: the Gymnasium environment as a `GymEnv`, with a policy that chooses only legal actions.

pip install 'terrarium-games[rl]'
"""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import ProbabilisticTensorDictModule, TensorDictModule, TensorDictSequential
from torchrl.envs import GymEnv
from torchrl.modules import MaskedCategorical

import terrarium.envs.gymnasium  # noqa: F401 - registers the environments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--opponent", default="random")
    chosen = parser.parse_args()
    torch.manual_seed(1)
    env = GymEnv(
        "terrarium/TerraTurrium-v0", categorical_action_encoding=True, opponent=chosen.opponent
    )
    planes = env.observation_spec["observation"].shape
    network = torch.nn.Sequential(
        torch.nn.Flatten(-3), torch.nn.Linear(planes.numel(), env.action_spec.n)
    )
    logits = TensorDictModule(network, in_keys=["observation"], out_keys=["logits"])
    boolean = TensorDictModule(lambda mask: mask.bool(), in_keys=["action_mask"], out_keys=["mask"])
    choice = ProbabilisticTensorDictModule(
        in_keys=["logits", "mask"],
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        default_interaction_type="random",
    )
    policy = TensorDictSequential(logits, boolean, choice)
    with torch.no_grad():
        played = env.rollout(chosen.steps, policy, break_when_any_done=False)
    games = int(played["next", "done"].sum())
    print(
        f"{played.shape[0]} actions, {games} games ended, reward {float(played['next', 'reward'].sum()):+.1f}"
    )


if __name__ == "__main__":
    main()
