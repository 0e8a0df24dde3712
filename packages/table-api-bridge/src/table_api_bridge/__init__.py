"""Tables and Spark DataFrames: conversion of types, rows and environments."""
