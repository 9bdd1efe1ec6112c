package main

func peers(*settings) error { return nil }
