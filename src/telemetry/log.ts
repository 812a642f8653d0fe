import pino from 'pino'

export type Log = pino.Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const secretFields = [
  'apiKey',
  'api_key',
  'secret',
  'signingSecret',
  'authorization',
  'privateKey',
  'signature',
  'x_payment',
]
const secretLooks =
  /\b(?:inv|sk)_[0-9a-f]{64}\b|\bwhsec_[\w+/=-]+|\bBearer\s+[\w.~+/=-]+|\beyJ[\w-]+\.[\w-]+\.[\w-]+|(?<=:\/\/)[^\s/:@]*:[^\s/@]+(?=@)/g
const removed = '[redacted]'

/**
 * JSON lines, on stdout by default. Secrets are removed from every string, by field name and by
 * pattern.
 */
export function createLog(level: LogLevel, destination?: pino.DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => redact(line) as Record<string, unknown>,
      },
      hooks: {
        logMethod(args, method) {
          method.apply(
            this,
            args.map((arg) => (typeof arg === 'string' ? redact(arg) : arg)) as typeof args,
          )
        },
      },
      // `redact` has already turned the error into a plain object.
      serializers: { err: (error) => error },
    },
    destination ?? standardOutput(),
  )
}

/** Lines beyond this are lost while output is blocked. */
const mostKeptBytes = 1_048_576

/** Ignores write errors, such as a full disk: callers that log must not fail. */
export function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: mostKeptBytes })
  output.on('error', () => {})
  return output
}

function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(secretLooks, removed)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth > 6) return removed
  if (value instanceof Date) return value
  if (value instanceof Error) return redact(membersOf(value), depth + 1)
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      secretFields.includes(key) ? removed : redact(member, depth + 1),
    ]),
  )
}

/** Logged besides the standard members of an error: from refusals, node faults and PostgreSQL. */
const members = ['code', 'reason', 'operatorText', 'fault', 'detail', 'constraint_name'] as const

/** Never all members: ioredis attaches the failed command, including the password. */
function membersOf(error: Error) {
  const { type, message, stack, ...others } = pino.stdSerializers.err(error)
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(members.map((name) => [name, others[name]])),
  }
}
