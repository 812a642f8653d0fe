import { Elysia } from 'elysia'
import type { Mandates } from '../../actors/mandates.ts'
import { invalidField } from '../../domain/error.ts'
import { hashOf } from '../../domain/hash.ts'
import { canonicalText } from '../../domain/mandates/canonical.ts'
import * as View from '../../domain/mandates/view.ts'
import { type AnswerSlots, withSlot } from '../admission/answer-slots.ts'
import { type Answer, type Call, type Operations, unparsed } from '../operation.ts'
import { idempotencyOf, replayed } from '../request/idempotency.ts'
import { pageMembers } from '../request/paging.ts'
import { parametersOf } from '../request/request-url.ts'
import { ok, wrap, wrapMembers } from '../response/envelope.ts'
import * as Docs from './mandate-docs.ts'
import * as Fields from './mandate-fields.ts'

const route = '/v1/mandates'
const longestWaitMs = 30_000

export type MandateParts = {
  readonly mandates: Mandates
  readonly lists: AnswerSlots
  /** Aborts when the service is about to stop, which ends all waiting. */
  readonly ending: AbortSignal
}

const read = { scope: 'mandates:read' } as const
const write = { scope: 'mandates:write' } as const
const proposal = { body: Fields.ProposeMandate, refuseBody: Fields.asField }
const signing = { body: Fields.SignMandate, refuseBody: Fields.asSignature }
const completion = { body: Fields.CompleteMandate, isBodyOptional: true } as const
const dispute = { body: Fields.DisputeMandate, refuseBody: Fields.asReason }

/** `/v1/mandates`, and the public view of a mandate (contract §9). */
export function mandateRoutes(operation: Operations, { mandates, lists, ending }: MandateParts) {
  return new Elysia()
    .post(
      route,
      operation({ ...write, ...proposal, docs: Docs.proposeMandate }, (call) =>
        propose(mandates, call),
      ),
      unparsed,
    )
    .get(
      route,
      operation({ ...read, docs: Docs.listMandates }, (call) => list(mandates, lists, call)),
    )
    .post(
      `${route}/canonicalize`,
      operation(
        { ...read, body: Fields.CanonicalizeMandate, docs: Docs.canonicalizeMandate },
        ({ body }) => {
          const canonical = canonicalText(Fields.agreementOf(body))
          return ok(JSON.stringify({ canonical, hash: hashOf(canonical) }))
        },
      ),
      unparsed,
    )
    .get(
      `${route}/:id`,
      operation({ ...read, maxSeconds: 40, docs: Docs.getMandate }, async (call) => {
        const { accountId } = call.principal
        const shown = isWaiting(call)
          ? await mandates.showAnchored(accountId, idOf(call), waitEnd(call, ending))
          : await mandates.show(accountId, idOf(call))
        return ok(View.toJson(shown))
      }),
    )
    .post(
      `${route}/:id/sign`,
      operation({ ...write, ...signing, docs: Docs.signMandate }, async (call) => {
        const by = Fields.signingOf(call.body)
        return ok(View.signedJson(await mandates.sign(Fields.actorOf(call), idOf(call), by)))
      }),
      unparsed,
    )
    .post(
      `${route}/:id/complete`,
      operation({ ...write, ...completion, docs: Docs.completeMandate }, async (call) => {
        const by = Fields.triggerOf(call.body)
        return ok(View.completedJson(await mandates.complete(Fields.actorOf(call), idOf(call), by)))
      }),
      unparsed,
    )
    .post(
      `${route}/:id/dispute`,
      operation({ ...write, ...dispute, docs: Docs.disputeMandate }, async (call) => {
        const by = Fields.disputeOf(call.body)
        return ok(View.disputedJson(await mandates.dispute(Fields.actorOf(call), idOf(call), by)))
      }),
      unparsed,
    )
    .get(
      '/v1/public/mandates/:id',
      operation({ scope: null, docs: Docs.getPublicMandate }, async (call) => ({
        status: 200,
        body: View.publicJson(await mandates.show(null, idOf(call))),
      })),
    )
}

async function propose(mandates: Mandates, call: Call): Promise<Answer> {
  const outcome = await mandates.propose(
    Fields.actorOf(call),
    Fields.proposalOf(call.body),
    idempotencyOf(call, route),
  )
  if (outcome.kind === 'replayed') return replayed(wrap(outcome.made))
  return ok(View.proposedJson(outcome.mandate), 201)
}

function list(mandates: Mandates, lists: AnswerSlots, call: Call): Promise<Answer> {
  const asked = Fields.pageOf(call.request.url)
  const { page, query } = asked
  return withSlot(lists, call, async () => {
    const found = await mandates.list(call.principal.accountId, query)
    Fields.checkWhole(asked, found)
    const shown = { items: found.mandates, ...found, page, limit: query.limit }
    return { status: 200, body: wrapMembers(pageMembers(shown, View.rowJson, Fields.cursorOf)) }
  })
}

function idOf({ params }: Call): string {
  return params.id ?? ''
}

function isWaiting({ request }: Call): boolean {
  const wait = parametersOf(request.url)('wait')
  if (wait !== null && wait !== 'anchored') throw invalidField('wait', 'must be anchored')
  return wait !== null
}

/** Aborts when the caller has waited for 30 s or has gone, or when the service is about to stop. */
function waitEnd({ request }: Call, ending: AbortSignal): AbortSignal {
  return AbortSignal.any([request.signal, ending, AbortSignal.timeout(longestWaitMs)])
}
