import pino from 'pino'

export type Log = pino.Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

// Where secrets are known to sit; and, for everywhere else, how they look.
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

/** Structured JSON lines on stdout. Secrets are removed by field name and by look, in every string of every line. */
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
      // By now it is plain: `redact` has seen to it.
      serializers: { err: (error) => error },
    },
    destination ?? standardOutput(),
  )
}

/** Of lines that cannot be written yet, so many bytes are kept; the others are lost. */
const mostKeptBytes = 1_048_576

/** Where lines go. A full disk is nothing that who logs could do anything about, and must stop none of them. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: mostKeptBytes })
  output.on('error', () => {})
  return output
}

/** A copy of `value` in which nothing that is, or looks like, a secret is left. */
function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(secretLooks, removed)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth > 6) return removed
  if (value instanceof Date) return value
  if (value instanceof Error) return redact(told(value), depth + 1)
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      secretFields.includes(key) ? removed : redact(member, depth + 1),
    ]),
  )
}

/** Beside what every error has: of refusals, of nodes' faults, of PostgreSQL. */
const members = ['code', 'reason', 'operatorText', 'fault', 'detail', 'constraint_name'] as const

/** What is told of an error, its causes included. Never all of it: ioredis hangs the command that failed on its own, password and all. */
function told(error: Error) {
  const { type, message, stack, ...others } = pino.stdSerializers.err(error)
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(members.map((name) => [name, others[name]])),
  }
}
