"""What templates may say: icons, states, values, code and prose."""
