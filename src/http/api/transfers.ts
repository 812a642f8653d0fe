import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Claims } from '../../actors/claims/claims.ts'
import type { TransferName, Transfers } from '../../actors/claims/transfers.ts'
import { noSuch } from '../../domain/error.ts'
import { parseInstant } from '../../domain/instant.ts'
import { isTxHash, networks } from '../../domain/network.ts'
import {
  type Place,
  type Query,
  type Shown,
  statuses,
} from '../../domain/settlement/transfer-list.ts'
import { authorize } from '../admission/gate.ts'
import { type Operations, type Options, unparsed } from '../operation.ts'
import { decodeCursor, encodeCursor, pageIn, pageMembers } from '../request/paging.ts'
import { choiceIn, listQueryOf } from '../request/request-url.ts'
import { line, meant } from '../request/validation.ts'
import * as Docs from './transfer-docs.ts'

export type TransferParts = { readonly claims: Claims; readonly transfers: Transfers }

const route = '/api/transfers'
const AssignTransfer = Type.Object({
  invoiceId: meant(line(64), 'The id of the invoice that the transfer pays, a UUID.'),
})

/**
 * For operators: the transfers to our addresses, and their assignment to invoices. Accounts see the
 * held ones that fit their invoices.
 */
export function transferRoutes(operation: Operations, { claims, transfers }: TransferParts) {
  return new Elysia()
    .get(
      route,
      operation(listing, async ({ request, principal }) => {
        const { page, query } = readQuery(request.url)
        const isOperator = principal.scopes.has('admin')
        if (query.status !== 'held') authorize(principal, 'admin')
        const only = isOperator ? {} : { heldFor: principal.accountId }
        const found = await transfers.list({ ...query, ...only })
        const shown = { items: found.transfers, ...found, page, limit: query.limit }
        return { status: 200, body: `{${pageMembers(shown, toJson, cursorOf)}}` }
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
          return { status: 200, body: toJson(await transfers.get(name)) }
        },
      ),
      unparsed,
    )
}

const listing = {
  scope: 'invoices:read',
  orScope: 'admin',
  docs: Docs.listTransfers,
} as const satisfies Options

function readQuery(url: string): { page: number; query: Query } {
  return listQueryOf(url, (parameter) => {
    const { page, ...place } = pageIn(parameter, placeIn)
    return {
      page,
      query: {
        status: choiceIn(parameter, 'status', [...statuses, 'held'] as const),
        chain: choiceIn(parameter, 'chain', networks),
        ...place,
      },
    }
  })
}

/** The transfer that an id names. Errors: `not_found` where it cannot be the id of one. */
function nameOf(id: string): TransferName {
  const name = parseName(id)
  if (!name || !isTxHash(name.chain, name.txHash)) throw noSuch('transfer')
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

function toJson(transfer: Shown): string {
  return JSON.stringify({ id: idOf(transfer), ...transfer })
}

function cursorOf(transfer: Shown): string {
  return encodeCursor(`${transfer.createdAt} ${idOf(transfer)}`)
}

function placeIn(cursor: string): Place | null {
  const [createdAt = '', id = ''] = decodeCursor(cursor).split(' ')
  const instant = parseInstant(createdAt)
  const name = parseName(id)
  return instant && name && { createdAt: instant.toISOString(), ...name }
}
