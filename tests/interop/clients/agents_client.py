"""Runs where openai-agents is: its runner plays every task with a scripted model and an instance's tools."""

import json

import instances
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.mcp import MCPServerStreamableHttp
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    """Calls one tool a turn, then says that it is done."""

    def __init__(self, calls):
        self.calls, self.tools = list(calls), []

    async def get_response(self, *given, **named):
        tools = named["tools"] if "tools" in named else given[3]
        self.tools = [tool.name for tool in tools]
        return ModelResponse(output=[self._item()], usage=Usage(), response_id=None)

    def _item(self):
        if self.calls:
            call = self.calls.pop(0)
            return ResponseFunctionToolCall(
                type="function_call",
                call_id=f"call_{len(self.calls)}",
                name=call["name"],
                arguments=json.dumps(call["arguments"]),
            )
        text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
        return ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )

    def stream_response(self, *given, **named):
        raise NotImplementedError


async def agent(url, calls):
    model = Scripted(calls)
    async with MCPServerStreamableHttp(params={"url": url}) as server:
        player = Agent(name="player", model=model, mcp_servers=[server])
        await Runner.run(player, "Play.", max_turns=40, run_config=RunConfig(tracing_disabled=True))
    assert not model.calls
    return model.tools


instances.main(agent)
