import type { CallToolResult, Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Static, TObject } from '@sinclair/typebox'
import type { ToolName } from '../../domain/pricing.ts'
import { answerTo } from '../errors.ts'

/** What a tool knows of the call besides its arguments. */
export type Caller = { readonly requestId: string }

export type AgentTool = {
  /** As `tools/list` shows it. */
  readonly shown: Tool
  /** What arguments must fit; what it refuses is a fault of the protocol, what `run` throws one of the tool. */
  readonly input: TObject
  run(args: unknown, caller: Caller): Promise<CallToolResult>
}

/** A tool from its schemas; `run` answers the JSON text of what `output` describes. Errors of `run`: any. */
export function tool<Input extends TObject>(about: {
  readonly name: ToolName
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly input: Input
  readonly output: TObject
  run(args: Static<Input>, caller: Caller): Promise<string>
}): AgentTool {
  const { input, output, run, ...shown } = about
  return {
    shown: {
      ...shown,
      inputSchema: plain(input),
      outputSchema: orError(output),
    },
    input,
    run: async (args, caller) => success(await run(args as Static<Input>, caller)),
  }
}

/** The result as a program reads it, and as a model does. */
function success(json: string): CallToolResult {
  return { content: [{ type: 'text', text: json }], structuredContent: JSON.parse(json) }
}

/** What went wrong, in the words of the REST API. */
export function failure(error: unknown): CallToolResult {
  return { ...success(answerTo(error, 'api').body), isError: true }
}

/** Clients check `structuredContent` of errors, too: the schema has to allow for both. */
function orError({ properties, required = [] }: TObject): Tool['outputSchema'] {
  const error = {
    type: 'object',
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      status: { type: 'integer' },
    },
    required: ['code', 'message', 'status'],
  }
  return plain({
    type: 'object',
    properties,
    anyOf: [{ required }, { properties: { error }, required: ['error'] }],
  })
}

/** Without what TypeBox keeps for itself. */
function plain(schema: object): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(schema))
}
