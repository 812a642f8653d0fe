import { ChainError } from '../chain/chain.ts'
import { ConfigError } from '../config/config.ts'
import { DomainError, OperatorError } from '../domain/error.ts'
import { EmbeddedError } from '../storage/postgres/embedded/error.ts'

const expected = [ConfigError, EmbeddedError, OperatorError, ChainError]

/** Text for the terminal: a sentence for an external fault, the whole error for a bug of ours. */
export function errorText(error: unknown): string {
  if (error instanceof DomainError)
    return [error.message, error.operatorText].filter(Boolean).join('\n  ')
  if (expected.some((kind) => error instanceof kind)) return (error as Error).message
  const fault = error as NodeJS.ErrnoException
  const ofDatabase = databaseText(fault)
  if (ofDatabase !== null) return ofDatabase
  const { code } = fault
  // For example a folder without write permission.
  const isSystemError = typeof code === 'string' && /^(E[A-Z]{3,}|EAI_[A-Z]+)$/.test(code)
  return isSystemError ? withCode(fault) : Bun.inspect(error)
}

/**
 * Text for the terminal where the database cannot be used for a reason that the operator can
 * remove; null for any other error, which may be a bug of ours.
 */
function databaseText(fault: NodeJS.ErrnoException): string | null {
  const [, remedy] = remedies.find(([codes]) => codes.test(String(fault.code))) ?? []
  if (remedy === undefined) return null
  return `The database cannot be used: ${withCode(fault)}\n  ${remedy}`
}

/** The message, and the code where it is not in that. */
function withCode({ code, message }: NodeJS.ErrnoException): string {
  return message.includes(String(code)) ? message : `${message} (${code})`
}

/** By PostgreSQL's code, or by that of postgres.js. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^3D000$/, 'create it, or correct DATABASE_URL'],
  [/^28...$/, 'correct the user or the password in DATABASE_URL, or allow it in pg_hba.conf'],
  [
    /^(42501|3F000)$/,
    'grant its user select, insert, update and delete on all tables; to migrate it must own them and may create others',
  ],
  [/^53300$/, 'end other programs that use it, or raise max_connections'],
  [/^53...$/, 'the server has run out of it: make room'],
  [
    /^(25006|CONNECTION_UNSUITABLE)$/,
    'it is a replica or read-only: name the primary in DATABASE_URL',
  ],
  [/^57P0[1-3]$/, 'PostgreSQL is starting or stopping: try again'],
  [
    /^(08...|CONNECT.*|ECONN(REFUSED|RESET)|ENOTFOUND|EAI_[A-Z]+|ETIMEDOUT|E(HOST|NET)UNREACH)$/,
    'is PostgreSQL running at the address in DATABASE_URL, and can this machine reach it?',
  ],
  [
    /^(ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/,
    'its certificate does not prove what sslmode asks for: correct sslrootcert, or the host name in DATABASE_URL',
  ],
]
