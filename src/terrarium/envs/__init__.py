"""The games as other people's tools want them: OpenSpiel, PettingZoo, Gymnasium, and batches for learners."""
