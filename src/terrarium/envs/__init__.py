"""Adapters for OpenSpiel, PettingZoo and Gymnasium, and batches of games for training."""
