import type { CallToolResult, Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Static, TObject } from '@sinclair/typebox'
import type { DomainError } from '../../domain/error.ts'
import type { Call } from '../operation.ts'
import { answerTo } from '../response/errors.ts'

/** What a tool knows of the call besides its arguments. */
export type Caller = {
  readonly requestId: string
  /** The JSON object of the arguments as it was sent. */
  argumentsText(): string
  /** The principal of a key among the arguments. Errors: `unauthorized`, `rate_limited`. */
  admitKey: Call['admitKey']
  /** The value of `_meta["x402/payment"]`. */
  readonly payment?: unknown
}

export type AgentTool = {
  /** The tool as `tools/list` shows it. */
  readonly shown: Tool
  readonly input: TObject
  readonly priceUsdcBase: bigint
  /** How long a call may take, if that is longer than a connection may be silent. */
  readonly maxSeconds: number | undefined
  run(args: unknown, caller: Caller): Promise<CallToolResult>
}

/** JSON text that `run` answers fits `output`. `run` may throw any error. */
export function tool<Input extends TObject>(about: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly priceUsdcBase?: bigint
  readonly input: Input
  readonly output: TObject
  /** Members of another kind of answer, which is neither `output` nor an error of REST. */
  readonly otherwise?: readonly string[]
  readonly maxSeconds?: number
  run(args: Static<Input>, caller: Caller): Promise<string | CallToolResult>
}): AgentTool {
  const { input, output, otherwise, priceUsdcBase = 0n, maxSeconds, run, ...shown } = about
  return {
    shown: {
      ...shown,
      inputSchema: plain(input),
      outputSchema: orElse(output, otherwise),
    },
    input,
    priceUsdcBase,
    maxSeconds,
    async run(args, caller) {
      const said = await run(args as Static<Input>, caller)
      return typeof said === 'string' ? toolResult(said) : said
    },
  }
}

/** The result twice: structured for programs, and as text for models. */
export function toolResult(json: string): CallToolResult {
  return { content: [{ type: 'text', text: json }], structuredContent: JSON.parse(json) }
}

/** The result of a refused call: the error as in the REST API, with its `Retry-After`. */
export function failure(refusal: DomainError): CallToolResult {
  const { error } = JSON.parse(answerTo(refusal, 'api').body)
  const { retryAfterSeconds } = refusal
  const more = retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }
  return { ...toolResult(JSON.stringify({ error: { ...error, ...more } })), isError: true }
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

/** Clients check the `structuredContent` of errors, too. */
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

// Without the symbols of TypeBox.
function plain(schema: object): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(schema))
}
