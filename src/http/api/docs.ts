import { Type } from '@sinclair/typebox'
import { periods } from '../../domain/budgets/period.ts'
import {
  currency,
  cursorPage,
  cursorQuery,
  instant,
  like,
  minor,
  nullable,
  oneOf,
  uuid,
} from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import type { Docs } from '../operation.ts'
import { wrapped, wrappedMembers } from '../response/envelope.ts'
import { creationRefusals, minorInvoice } from '../shared/invoice-docs.ts'

/** What `/openapi.json` says about the operations of `/api`. */

const agentId = like('agent-7')

const record = {
  agentId,
  currency,
  period: oneOf(periods),
  periodStart: instant,
  periodEnd: nullable(instant),
  limit: minor,
  spent: minor,
  reserved: minor,
  remaining: minor,
  perTransactionLimit: nullable(minor),
  active: Type.Boolean(),
}

const Budget = Type.Object(record, { $id: 'Budget' })

const Allowance = Type.Object(
  {
    allowed: Type.Literal(true),
    agentId,
    requested: minor,
    limit: nullable(minor),
    spent: minor,
    reserved: minor,
    remaining: nullable(minor),
    currency: nullable(currency),
    periodEnd: nullable(instant),
    reservationId: Type.Optional(nullable(uuid)),
    expiresAt: Type.Optional(nullable(instant)),
  },
  { $id: 'BudgetAllowance' },
)

const ClosedReservation = Type.Object(
  {
    reservationId: uuid,
    amount: minor,
    status: oneOf(['committed', 'released']),
    ...record,
  },
  { $id: 'ClosedReservation' },
)

export const createInvoice: Docs = {
  summary: 'Create an invoice',
  description: 'The answer says where to pay and how much.',
  exampleBody: {
    amount: 1_000,
    currency: 'USD',
    chain: 'base',
    taxCountry: 'DE',
    description: 'Work in April',
    buyer: { companyName: 'Ada Example Ltd', email: 'ada@example.com' },
    seller: {
      name: 'Grace Example GmbH',
      wallet: Example.address,
    },
  },
  answers: { 201: minorInvoice },
  idempotent: true,
  refusals: creationRefusals,
}

export const sendInvoice: Docs = {
  summary: 'Mark an invoice as sent',
  description: 'Repeating it gives the same answer. A paid or closed invoice is refused.',
  answers: { 200: minorInvoice },
  refusals: ['invalid_state'],
}

export const voidInvoice: Docs = {
  summary: 'Void an invoice',
  description:
    'It fails and can no longer be paid. Repeating it gives the same answer. An invoice that has received money, even in part, is refused, and so is that of a purchase whose payment may still be taken.',
  answers: { 200: minorInvoice },
  refusals: ['invalid_state'],
}

export const setBudget: Docs = {
  summary: "Set an agent's budget",
  description:
    'Changes what the body names and leaves the rest; a new budget needs a limit. To change the currency, send `limit` too, and `perTransactionLimit` if there is one: spending starts at zero again.',
  exampleBody: { limit: 50_000, period: 'month', currency: 'USD', perTransactionLimit: 5_000 },
  answers: { 200: wrapped(Budget) },
  refusals: ['invalid_amount', 'invalid_state'],
}

export const getBudget: Docs = {
  summary: "Read an agent's budget",
  answers: { 200: wrapped(Budget) },
  refusals: ['invalid_request'],
}

export const listBudgets: Docs = {
  summary: 'List the budgets of all agents',
  description: 'Ordered by agent, each with what has been spent and reserved.',
  query: Type.Object(cursorQuery),
  answers: {
    200: wrappedMembers(cursorPage(Budget)),
  },
}

export const checkBudget: Docs = {
  summary: 'Check whether an agent may spend an amount',
  description:
    'With `reserve` (which needs the permission `budgets:write`) the amount is set aside for 60 seconds; concurrent reservations never ' +
    'exceed the limit together. An agent without a budget may spend anything; its limit is null.',
  exampleBody: { agentId: 'agent-7', amount: 1_250, currency: 'USD', reserve: true },
  answers: { 200: wrapped(Allowance) },
  idempotent: true,
  refusals: ['invalid_amount', 'budget_exceeded'],
}

export const commitReservation: Docs = {
  summary: 'Spend what a reservation set aside',
  description: 'Repeating it gives the same answer; after release or expiry it is refused.',
  answers: { 200: wrapped(ClosedReservation) },
  refusals: ['invalid_state'],
}

export const releaseReservation: Docs = {
  summary: 'Give back what a reservation set aside',
  description: 'Repeating it gives the same answer; after a commit it is refused.',
  answers: { 200: wrapped(ClosedReservation) },
  refusals: ['invalid_state'],
}
