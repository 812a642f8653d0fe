import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Claims, TransferName } from '../../actors/claims.ts'
import { DomainError, invalidField } from '../../domain/error.ts'
import { parseInstant } from '../../domain/instant.ts'
import { networks } from '../../domain/network.ts'
import * as Transfers from '../../domain/transfer-list.ts'
import { integer, parametersOf } from '../invoice-listing.ts'
import type { Operations } from '../operation.ts'
import { line } from '../validation.ts'
import * as Docs from './transfer-docs.ts'

export type TransferParts = {
  readonly claims: Pick<Claims, 'assign'>
  readonly transfers: {
    list(query: Transfers.Query): Promise<Transfers.Listed>
    /** One transfer. Errors: `not_found`. */
    get(name: TransferName): Promise<Transfers.Shown>
  }
}

const route = '/api/transfers'
const AssignTransfer = Type.Object({ invoiceId: line(64) })

/**
 * The USDC transfers to our addresses, of all accounts, and the assignment of those that no rule
 * matched to an invoice, by an operator.
 */
export function transferRoutes(operation: Operations, { claims, transfers }: TransferParts) {
  return new Elysia()
    .get(
      route,
      operation({ scope: 'admin', docs: Docs.listTransfers }, async ({ request }) => {
        const { page, query } = readQuery(request.url)
        const { total, hasMore, ...found } = await transfers.list(query)
        const last = found.transfers.at(-1)
        const nextCursor = hasMore && last ? encodeCursor(last) : null
        const data = found.transfers.map(toJson)
        const answer = { data, total, page, limit: query.limit, hasMore, nextCursor }
        return { status: 200, body: JSON.stringify(answer) }
      }),
    )
    .post(
      `${route}/:id/assign`,
      operation(
        { scope: 'admin', body: AssignTransfer, docs: Docs.assignTransfer },
        async ({ params, body, principal }) => {
          const { invoiceId } = body.value as typeof AssignTransfer.static
          const name = nameOf(params.id ?? '')
          await claims.assign(name, invoiceId, principal.keyId)
          return { status: 200, body: JSON.stringify(toJson(await transfers.get(name))) }
        },
      ),
      { parse: 'none' },
    )
}

function readQuery(url: string): { page: number; query: Transfers.Query } {
  const one = parametersOf(url)
  const limit = integer('limit', one('limit'), 10, 100)
  const page = integer('page', one('page'), 1, 1_000_000)
  const cursor = one('cursor')
  return {
    page,
    query: {
      status: choice('status', one('status'), Transfers.statuses),
      chain: choice('chain', one('chain'), networks),
      after: cursor === null ? null : decodeCursor(cursor),
      offset: cursor === null ? (page - 1) * limit : 0,
      limit,
    },
  }
}

function choice<T extends string>(name: string, value: string | null, of: readonly T[]): T | null {
  if (value === null) return null
  const found = of.find((one) => one === value)
  if (!found) throw invalidField(name, `must be one of ${of.join(', ')}`)
  return found
}

/** The transfer that an id names. Errors: `not_found` where it cannot be the id of one. */
function nameOf(id: string): TransferName {
  const name = parseName(id)
  if (!name) throw new DomainError('not_found', 'No such transfer')
  return name
}

function parseName(id: string): TransferName | null {
  const [, chain, txHash = '', position] = /^(\w+):(\w{1,128}):(\d{1,9})$/.exec(id) ?? []
  const network = networks.find((one) => one === chain)
  return network ? { chain: network, txHash, position: Number(position) } : null
}

function idOf({ chain, txHash, position }: TransferName): string {
  return `${chain}:${txHash}:${position}`
}

function toJson(transfer: Transfers.Shown) {
  return { id: idOf(transfer), ...transfer }
}

// Opaque to callers. The list is newest first, so a cursor names the last transfer shown.
function encodeCursor(last: Transfers.Shown): string {
  return Buffer.from(`${last.createdAt} ${idOf(last)}`).toString('base64url')
}

function decodeCursor(cursor: string): Transfers.Place {
  const [createdAt = '', id = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ')
  const instant = parseInstant(createdAt)
  const name = parseName(id)
  if (!instant || !name) throw invalidField('cursor', 'is not one of ours')
  return { createdAt: instant.toISOString(), ...name }
}
