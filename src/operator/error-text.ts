import { inspect } from 'node:util'
import { ChainError } from '../chain/chain.ts'
import { ConfigError } from '../config/config.ts'
import { DomainError, OperatorError } from '../domain/error.ts'
import { EmbeddedError } from '../storage/postgres/embedded/home.ts'
import { Unreadable } from './read-json.ts'

const expected = [ConfigError, EmbeddedError, OperatorError, ChainError, Unreadable]

/** A sentence for an external fault, the whole error for our own bug. */
export function errorText(error: unknown): string {
  if (error instanceof DomainError)
    return [error.message, error.operatorText].filter(Boolean).join('\n  ')
  if (expected.some((kind) => error instanceof kind)) return (error as Error).message
  const fault = error as NodeJS.ErrnoException & { readonly port?: number }
  const ofDatabase = databaseText(fault)
  if (ofDatabase !== null) return ofDatabase
  const { code } = fault
  // For example a folder without write permission.
  const isSystemError = typeof code === 'string' && /^(E[A-Z]{3,}|EAI_[A-Z]+)$/.test(code)
  return isSystemError ? withCode(fault) : inspect(error)
}

function databaseText(fault: NodeJS.ErrnoException): string | null {
  const [, remedy] = remedies.find(([codes]) => codes.test(String(fault.code))) ?? []
  if (remedy === undefined) return null
  return `The database cannot be used: ${withCode(fault)}\n  ${remedy}`
}

function withCode({ code, message }: NodeJS.ErrnoException): string {
  return message.includes(String(code)) ? message : `${message} (${code})`
}

/** By the code of PostgreSQL or postgres.js. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^3D000$/, 'create it, or correct DATABASE_URL'],
  [/^28...$/, 'correct the user or the password in DATABASE_URL, or allow the user in pg_hba.conf'],
  [
    /^(42501|3F000)$/,
    'grant its user select, insert, update and delete on all tables; to migrate, it must own them and be allowed to create others',
  ],
  [/^53300$/, 'stop other programs that use it, or raise max_connections'],
  [/^53...$/, 'the server has run out of this resource: free some'],
  [
    /^(25006|CONNECTION_UNSUITABLE)$/,
    'it is a replica or read-only: put the primary into DATABASE_URL',
  ],
  [/^57P0[1-3]$/, 'PostgreSQL is starting or stopping: try again soon'],
  [
    /^(08...|CONNECT.*|ECONN(REFUSED|RESET)|ENOTFOUND|EAI_[A-Z]+|ETIMEDOUT|E(HOST|NET)UNREACH)$/,
    'is PostgreSQL running at the address in DATABASE_URL, and can this machine reach it?',
  ],
  [
    /^(ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/,
    'its certificate does not prove what sslmode requires: correct sslrootcert or the host name in DATABASE_URL',
  ],
]
