import type { CallToolResult, Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Static, TObject } from '@sinclair/typebox'
import type { DomainError } from '../../domain/error.ts'
import type { ToolName } from '../../domain/pricing.ts'
import { answerTo } from '../errors.ts'

/** What a tool knows of the call besides its arguments. */
export type Caller = {
  readonly requestId: string
  /** The JSON object of the arguments as it was sent. */
  argumentsText(): string
  /** What came in `_meta["x402/payment"]`. */
  readonly payment?: unknown
}

export type AgentTool = {
  /** As `tools/list` shows it. */
  readonly shown: Tool
  /** What arguments must fit; what it refuses is a fault of the protocol, what `run` throws one of the tool. */
  readonly input: TObject
  /** How long a call may take where that is longer than a connection may be silent. */
  readonly maxSeconds: number | undefined
  run(args: unknown, caller: Caller): Promise<CallToolResult>
}

/** A tool from its schemas; a JSON text that `run` answers is what `output` describes. Errors of `run`: any. */
export function tool<Input extends TObject>(about: {
  readonly name: ToolName
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly input: Input
  readonly output: TObject
  /** Members that tell another kind of answer, which is no error of REST's shape. */
  readonly otherwise?: readonly string[]
  readonly maxSeconds?: number
  run(args: Static<Input>, caller: Caller): Promise<string | CallToolResult>
}): AgentTool {
  const { input, output, otherwise, maxSeconds, run, ...shown } = about
  return {
    shown: {
      ...shown,
      inputSchema: plain(input),
      outputSchema: orElse(output, otherwise),
    },
    input,
    maxSeconds,
    async run(args, caller) {
      const said = await run(args as Static<Input>, caller)
      return typeof said === 'string' ? success(said) : said
    },
  }
}

/** The result as a program reads it, and as a model does. */
export function success(json: string): CallToolResult {
  return { content: [{ type: 'text', text: json }], structuredContent: JSON.parse(json) }
}

/** What went wrong, in the words of the REST API, with what stands in its `Retry-After`. */
export function failure(refusal: DomainError): CallToolResult {
  const { error } = JSON.parse(answerTo(refusal, 'api').body)
  const { retryAfterSeconds } = refusal
  const more = retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }
  return { ...success(JSON.stringify({ error: { ...error, ...more } })), isError: true }
}

const error = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    status: { type: 'integer' },
  },
  required: ['code', 'message', 'status'],
}

/** Clients check `structuredContent` of errors, too: the schema has to allow for whatever there may be. */
function orElse(
  { properties, required = [] }: TObject,
  otherwise?: readonly string[],
): Tool['outputSchema'] {
  return plain({
    type: 'object',
    properties,
    anyOf: [
      { required },
      { properties: { error }, required: ['error'] },
      ...(otherwise ? [{ required: otherwise }] : []),
    ],
  })
}

/** Without what TypeBox keeps for itself. */
function plain(schema: object): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(schema))
}
