"""The NumPy network against the same network in torch: layers, optimiser, early stopping and held-out rows alike."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.estimators.problems import Problem, gauss, mixed, rmse

from liftgate.estimators import nets
from liftgate.estimators.encoding import Encoder
from liftgate.estimators.folds import held_out
from liftgate.estimators.network import network
from liftgate.estimators.rows import Sample
from liftgate.estimators.scale import normalised

pytestmark = pytest.mark.oracle


def by_torch(sample: Sample, asked: Sample, seed: int) -> NDArray[np.float64]:
    """Log-lifts by torch with AdamW and the same schedule."""
    import torch

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    inner, held = held_out(sample, nets.HELD_OUT, seed)
    encoder = Encoder.of(inner.rows)
    x, x_held, x_asked = (torch.tensor(encoder.matrix(p.rows), dtype=torch.float32) for p in (inner, held, asked))
    s, s_held = torch.tensor(inner.s), torch.tensor(held.s)
    layers = [torch.nn.Linear(x.shape[1], nets.HIDDEN), torch.nn.Linear(nets.HIDDEN, nets.HIDDEN)]
    layers.append(torch.nn.Linear(nets.HIDDEN, sample.classes))
    for k, layer in enumerate(layers):
        spread = (2 / layer.in_features) ** 0.5 if k < 2 else 0.1 * (1 / layer.in_features) ** 0.5
        torch.nn.init.normal_(layer.weight, std=spread)
        torch.nn.init.zeros_(layer.bias)
    model = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2])
    matrices = [{"params": [layer.weight for layer in layers], "weight_decay": nets.DECAY}]
    vectors = [{"params": [layer.bias for layer in layers], "weight_decay": 0.0}]
    adam = torch.optim.AdamW(matrices + vectors, lr=nets.RATE)
    loss = torch.nn.CrossEntropyLoss()
    batch = 64 if len(inner) < 4000 else 128 if len(inner) < 40_000 else 256
    reached, best, since = np.inf, None, 0
    for epoch in range(nets.MOST_EPOCHS):
        for group in adam.param_groups:
            group["lr"] = nets.RATE * (0.5 if since > nets.PATIENCE // 2 else 1.0) / (1 + epoch / 30)
        order = torch.randperm(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            rows = order[start : start + batch]
            adam.zero_grad()
            loss(model(x[rows]), s[rows]).backward()
            adam.step()
        with torch.no_grad():
            found = float(loss(model(x_held), s_held))
        if found < reached:
            reached, since = found, 0
            best = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            since += 1
            if since >= nets.PATIENCE:
                break
    assert best is not None
    model.load_state_dict(best)
    with torch.no_grad():
        return normalised(model(x_asked).numpy().astype(np.float64), sample.prior)


def problems(name: str, seed: int) -> Problem:
    return gauss(10, 4000, seed) if name == "gauss10" else mixed(4000, seed)


@pytest.mark.parametrize("name", ["gauss10", "mixed"])
def test_as_good_as_torch(name: str) -> None:
    """Over four seeds, the error on rows that neither has seen is within 10 % of torch's, or below it."""
    ours, theirs = [], []
    for seed in range(4):
        train, test = problems(name, seed), problems(name, seed + 50)
        scores = network(train.sample, seed).scores(test.sample.rows)
        ours.append(rmse(normalised(scores, train.sample.prior), test.log_lift))
        theirs.append(rmse(by_torch(train.sample, test.sample, seed), test.log_lift))
    assert np.mean(ours) <= 1.1 * np.mean(theirs), (ours, theirs)
