import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { keyFrom, seal } from '../../../src/domain/accounts/secret.ts'
import { toHex } from '../../../src/domain/hash.ts'
import { renewSigningSecret } from '../../../src/operator/accounts.ts'
import { receiptHash } from '../../../src/verify/bundle.ts'
import { type Answer, refused, testApp, testSecretsKey } from '../../support/app.ts'
import { aMandate as aSignedMandate } from '../../support/mandates.ts'
import { claimsIn } from '../../support/receipts.ts'
import { eventually, madeInTime, passed } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import vectors from '../../vectors/mandate-hmac.json' with { type: 'json' }

const { app } = useWorld()

const route = '/v1/mandates'
const terms = { amount: 50, currency: 'USDC', deliverable: '100 summaries' }
const wanted = {
  proposer: 'agent_alpha',
  counterparty: 'agent_beta',
  scope: 'Summarise 100 documents',
  terms,
  expiry: '2099-12-31T00:00:00Z',
}

const propose = (over: object | string = {}, headers = {}) =>
  app.send('POST', route, typeof over === 'string' ? over : { ...wanted, ...over }, headers)
const get = (id: string, query = '') => app.send('GET', `${route}/${id}${query}`)
const open = (id: string) => app.keyless('GET', `/v1/public/mandates/${id}`)
const post = (id: string, move: string, body?: object | string, headers = {}) =>
  app.send('POST', `${route}/${id}/${move}`, body, headers)
const sign = (id: string, signer: string, signature: string) =>
  post(id, 'sign', { signer, signature })

async function aMandate(over: object = {}): Promise<string> {
  const { status, json } = await propose(over)
  expect(status).toBe(201)
  return json.data.mandate_id
}

/** A party's signature, made only from what the party knows, without asking the service. */
function signatureOf(
  id: string,
  { secret = app.account.signingSecret, expires_at = '2099-12-31T00:00:00.000Z' } = {},
): string {
  const canonical = `{"counterparty_agent_id":"agent_beta","expires_at":"${expires_at}","id":"${id}","proposer_agent_id":"agent_alpha","scope":"Summarise 100 documents","terms":{"amount":50,"currency":"USDC","deliverable":"100 summaries"}}`
  return createHmac('sha256', secret).update(canonical).digest('hex')
}

async function aSigned(...by: readonly string[]): Promise<string> {
  const id = await aMandate()
  for (const signer of by) expect((await sign(id, signer, signatureOf(id))).status).toBe(200)
  return id
}

const anAgreed = () => aSigned('proposer', 'counterparty')

/** A mandate that has just expired. */
async function anExpired(signedBy: readonly string[] = []): Promise<string> {
  const { made, endsAt } = await madeInTime(async (at) => {
    const expires_at = at.toISOString()
    const { status, json } = await propose({ expiry: expires_at })
    if (status !== 201) return null
    const id: string = json.data.mandate_id
    for (const signer of signedBy) {
      const signed = await sign(id, signer, signatureOf(id, { expires_at }))
      if (signed.status !== 200) return null
    }
    return id
  })
  await passed(endsAt)
  return made
}

const wrongState = [409, 'invalid_transition']
const unknown = [404, 'mandate_not_found']
const aMoment = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
const aHash = expect.stringMatching(/^0x[0-9a-f]{64}$/)
const anId = expect.stringMatching(/^mnd_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const aUuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
const trailOf = ({ json }: Answer) =>
  json.data.transitions.map(({ from_state, to_state }: Record<string, string>) => [
    from_state,
    to_state,
  ])

describe('a proposal', () => {
  const proposed = {
    mandate_id: anId,
    status: 'proposed',
    proposer_signature_required: true,
    expires_at: '2099-12-31T00:00:00.000Z',
  }

  test('may expire at the end of a date, which is shown and signed as its last millisecond', async () => {
    const expires_at = '2099-12-30T23:59:59.999Z'
    const { status, json } = await propose({ expiry: '2099-12-30' })
    expect([status, json.data]).toEqual([201, { ...proposed, expires_at }])
    const id: string = json.data.mandate_id
    expect((await get(id)).json.data.expires_at).toBe(expires_at)
    expect((await sign(id, 'proposer', signatureOf(id, { expires_at }))).status).toBe(200)
  })

  test('is accepted whatever its terms are, with a warning where they do not limit payments as they seem to', async () => {
    const { status, json } = await propose({ terms: { amount: '5,00' } })
    const warnings = ['amount_unreadable', 'amount_without_currency']
    expect([status, json.data]).toEqual([201, { ...proposed, warnings }])
  })

  test('201, and is read back whole', async () => {
    const made = await propose({ context: { order: 7 } })
    expect([made.status, made.json]).toEqual([201, { success: true, data: proposed }])
    const { status, json } = await get(made.json.data.mandate_id)
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      data: {
        id: made.json.data.mandate_id,
        proposer_agent_id: 'agent_alpha',
        counterparty_agent_id: 'agent_beta',
        scope: 'Summarise 100 documents',
        terms,
        context: { order: 7 },
        state: 'proposed',
        protocol_mandate_hash: aHash,
        protocol_version: 'v0.1',
        proposer_signature: null,
        counterparty_signature: null,
        signed_by_proposer_at: null,
        signed_by_counterparty_at: null,
        completed_at: null,
        disputed_at: null,
        dispute_reason: null,
        expires_at: '2099-12-31T00:00:00.000Z',
        drs_receipt_id: null,
        created_at: aMoment,
        updated_at: aMoment,
        transitions: [
          {
            id: aUuid,
            from_state: null,
            to_state: 'proposed',
            mandate_hash: json.data.protocol_mandate_hash,
            triggered_by: 'proposer',
            metadata: { triggered_by: 'proposer', key_id: aUuid },
            created_at: aMoment,
            anchor_status: 'none',
            anchor_tx_hash: null,
            anchor_block_number: null,
            anchor_chain: null,
          },
        ],
      },
    })
  })

  test('keeps terms and context byte for byte', async () => {
    const rawTerms = '{ "b" : 1.50, "a":1E2,\n"10":"ten","9":"\\u00e9\\u0000" }'
    const rawContext = '{"n":123456789012345678901234567890 }'
    const { json } = await propose(
      `{"proposer":"a","counterparty":"b","scope":"c","expiry":"2099-01-01T00:00:00Z","terms": ${rawTerms} ,"context":${rawContext}}`,
    )
    const { text } = await get(json.data.mandate_id)
    expect(text).toContain(`"terms":${rawTerms},"context":${rawContext},`)
  })

  test.each([
    ['2099-01-01T00:00:00.123456Z', '2099-01-01T00:00:00.123Z'],
    ['2099-06-15T12:00:00+02:00', '2099-06-15T10:00:00.000Z'],
    ['2099-01-02T03:04:05+05:30', '2099-01-01T21:34:05.000Z'],
  ])('that expires at %s expires at %s', async (expiry, expires_at) => {
    const { json } = await get(await aMandate({ expiry }))
    expect(json.data.expires_at).toBe(expires_at)
  })

  test('ignores fields that the service sets', async () => {
    const id = await aMandate({ state: 'completed', id: 'mnd_x', drs_receipt_id: 'd', version: 9 })
    expect((await get(id)).json.data).toMatchObject({ state: 'proposed', drs_receipt_id: null })
  })

  test.each(['proposer', 'counterparty', 'scope', 'terms', 'expiry'])(
    '400 missing_field without %s',
    async (field) => {
      const answer = await propose({ [field]: undefined })
      expect(refused(answer)).toEqual([400, 'missing_field'])
      expect(answer.json.error.details).toEqual([{ path: field, message: 'is required' }])
    },
  )

  const instants =
    'tomorrow 2099-02-30 2020-01-01 2099-01-01T00:00:00 2099-02-30T00:00:00Z 2099-01-01T24:00:00Z 2020-01-01T00:00:00Z 9999-12-31T23:59:59-05:00'
  const unfit: Record<string, readonly unknown[]> = {
    proposer: [5, '', 'x'.repeat(257)],
    counterparty: [null],
    scope: [{}, 'x'.repeat(4_001)],
    terms: [null, [], 'x', { a: 'x'.repeat(65_536) }],
    context: ['x', [], { a: 'é'.repeat(32_768) }],
    expiry: [5, '', ...instants.split(' ')],
  }
  test.each(Object.keys(unfit))('400 invalid_field for a wrong %s', async (field) => {
    for (const value of unfit[field] ?? []) {
      const answer = await propose({ [field]: value })
      const shown = JSON.stringify(value).slice(0, 40)
      expect([shown, ...refused(answer)]).toEqual([shown, 400, 'invalid_field'])
      expect(answer.json.error.details[0].path).toBe(field)
    }
  })

  test.each([
    '{"a":1,"a":2}',
    '{"__proto__":{"amount":1}}',
    '{"a":"\\ud800"}',
    '{"a":9007199254740993}',
    '{"a":-9007199254740992}',
    '{"a":1e400}',
    `${'{"k":'.repeat(40)}1${'}'.repeat(40)}`,
    '{"a":01}',
  ])('400 invalid_field for the terms %s', async (text) => {
    const body = JSON.stringify({ ...wanted, terms: null }).replace('null', () => text)
    expect(refused(await propose(body))).toEqual([400, 'invalid_field'])
  })

  test('is made once with an Idempotency-Key, also after it has expired', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const { made: first, endsAt } = await madeInTime(async (at) => {
      const answer = await propose({ expiry: at.toISOString() }, key)
      return answer.status === 201 ? answer : null
    })
    await passed(endsAt)
    const again = await propose({ expiry: endsAt.toISOString() }, key)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(refused(await propose({}, key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  test('is made once of many at the same moment with one key', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = await Promise.all(Array.from({ length: 20 }, () => propose({}, key)))
    const made = answers.filter(({ status }) => status === 201).map(({ text }) => text)
    expect(new Set(made).size).toBe(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
  })
})

describe('a signature', () => {
  test('of the proposer, then of the counterparty, makes an agreement with a receipt', async () => {
    const id = await aMandate()
    const signature = signatureOf(id)
    const first = await sign(id, 'proposer', signature)
    const halfSigned = { mandate_id: id, status: 'signed_by_proposer', drs_receipt_id: null }
    expect([first.status, first.json.data]).toEqual([200, halfSigned])
    const halfway = await get(id)
    expect(halfway.text).not.toContain(signature)
    const second = await sign(id, 'counterparty', signature.toUpperCase())
    const receiptId = second.json.data.drs_receipt_id
    expect(receiptId).toMatch(/^drs_[0-9a-f-]{36}$/)
    const signed = { mandate_id: id, status: 'signed_by_both', drs_receipt_id: receiptId }
    expect([second.status, second.json.data]).toEqual([200, signed])
    const { json } = await get(id)
    expect(json.data).toMatchObject({
      state: 'signed_by_both',
      proposer_signature: signature,
      counterparty_signature: signature,
      signed_by_proposer_at: aMoment,
      signed_by_counterparty_at: aMoment,
      drs_receipt_id: receiptId,
    })
    const receipt = (await app.send('GET', `/v1/receipts/${receiptId}`)).json.data
    expect(receipt).toMatchObject({
      kind: 'agreement',
      claims: { kind: 'agreement', mandateHash: json.data.protocol_mandate_hash },
      status: 'pending',
    })
    const bundle = (await app.keyless('GET', `/v1/public/receipts/${receiptId}/bundle`)).json
    expect(receiptHash(bundle.claims)).toBe(bundle.hash)
    expect([bundle.hash, bundle.anchor]).toEqual([receipt.hash, null])
    expect(claimsIn(bundle)).toEqual(receipt.claims)
    const { mandateHash } = receipt.claims
    const hashes = [bundle.hash, bundle.hash.slice(2), `drs_${bundle.hash.slice(2)}`, mandateHash]
    for (const hash of hashes)
      for (const path of [`receipts/${hash}/bundle`, `mandates/${hash}`, `mandates/mnd_${hash}`])
        expect((await app.keyless('GET', `/v1/public/${path}`)).status).toBe(404)
  })

  test('that was accepted is accepted again in any later state', async () => {
    const id = await aSigned('proposer')
    const again = () => sign(id, 'proposer', signatureOf(id))
    expect((await again()).json.data.status).toBe('signed_by_proposer')
    await sign(id, 'counterparty', signatureOf(id))
    expect((await again()).json.data).toMatchObject({ status: 'signed_by_both' })
    await post(id, 'complete')
    expect((await again()).json.data).toMatchObject({ status: 'completed' })
    expect(trailOf(await get(id))).toHaveLength(5)
  })

  test('400 for what is no signature, before anybody looks for the mandate; then 404', async () => {
    for (const signer of [undefined, null, 'admin', 'Proposer', ['proposer']])
      expect(refused(await post('nope', 'sign', { signer }))).toEqual([400, 'invalid_signer'])
    for (const signature of [undefined, null, '', 5, ['a']]) {
      const answer = await post('nope', 'sign', { signer: 'proposer', signature })
      expect(refused(answer)).toEqual([400, 'missing_signature'])
    }
    expect(refused(await post('nope', 'sign', []))).toEqual([400, 'INVALID_REQUEST'])
    for (const id of ['nope', 'mnd_%00', 'mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'])
      expect(refused(await sign(id, 'proposer', 'ab'))).toEqual(unknown)
  })

  test('409 of the counterparty before the proposer, wrong or right, and stores nothing', async () => {
    const id = await aMandate()
    for (const signature of [signatureOf(id), '00'.repeat(32)])
      expect(refused(await sign(id, 'counterparty', signature))).toEqual(wrongState)
    expect(trailOf(await get(id))).toEqual([[null, 'proposed']])
  })

  test('403 if it is wrong, and stores nothing', async () => {
    const id = await aMandate()
    const right = signatureOf(id)
    const wrongs = [
      '00'.repeat(32),
      right.slice(1),
      `${right}00`,
      `${right}zz`,
      `0x${right}`,
      signatureOf(await aMandate()),
      signatureOf(id, { secret: app.other.signingSecret }),
    ]
    for (const wrong of wrongs)
      expect(refused(await sign(id, 'proposer', wrong))).toEqual([403, 'invalid_signature'])
    expect(trailOf(await get(id))).toEqual([[null, 'proposed']])
  })

  describe('under the secret of an account of its own', () => {
    /** A new account, and how the service answers to what it signs with a secret. */
    async function anAccount() {
      const { account, signingSecret, v1Key } = await app.newAccount()
      const key = { 'x-api-key': v1Key }
      const signing = async (secret: string) => {
        const id = (await propose({}, key)).json.data.mandate_id
        const signature = signatureOf(id, { secret })
        return (await post(id, 'sign', { signer: 'proposer', signature }, key)).status
      }
      return { id: account.id, signingSecret, signing }
    }
    const renew = (id: string) => renewSigningSecret(app.database.sql, keyFrom(testSecretsKey), id)

    test('counts under the secret before and the one after a rotation, for a day', async () => {
      const { id, signingSecret, signing } = await anAccount()
      const secrets = [(await renew(id)).signingSecret, signingSecret]
      expect(await Promise.all(secrets.map(signing))).toEqual([200, 200])
      const { sql } = app.database
      await sql`update accounts set previous_signing_secret_until = now() where id = ${id}`
      expect(await Promise.all(secrets.map(signing))).toEqual([200, 403])
    })

    test('counts again after a secret sealed under a lost SECRETS_KEY has been renewed', async () => {
      const { id, signingSecret, signing } = await anAccount()
      const lost = seal(signingSecret, keyFrom('cd'.repeat(32)), new Uint8Array(12))
      await app.database.sql`update accounts set signing_secret_sealed = ${lost} where id = ${id}`
      expect(await signing(signingSecret)).toBe(500)
      expect(await signing((await renew(id)).signingSecret)).toBe(200)
      expect(await signing(signingSecret)).toBe(403)
    })
  })
})

describe('completing', () => {
  test('is two transitions in one commit, both anchored', async () => {
    const id = await anAgreed()
    const { status, json } = await post(id, 'complete', { triggered_by: 'agent_beta' })
    const completed = { mandate_id: id, status: 'completed', completed_at: aMoment }
    expect([status, json]).toEqual([200, { success: true, data: completed }])
    const shown = await get(id)
    expect(trailOf(shown)).toEqual([
      [null, 'proposed'],
      ['proposed', 'signed_by_proposer'],
      ['signed_by_proposer', 'signed_by_both'],
      ['signed_by_both', 'in_progress'],
      ['in_progress', 'completed'],
    ])
    const { transitions, completed_at } = shown.json.data
    expect(completed_at).toBe(json.data.completed_at)
    expect(transitions.map((one: Record<string, string>) => one.anchor_status)).toEqual([
      'none',
      ...Array(4).fill('pending'),
    ])
    expect(transitions[4]).toMatchObject({
      triggered_by: 'agent_beta',
      metadata: { triggered_by: 'agent_beta', key_id: aUuid },
    })
    const owed = await app.database.sql`
      select label, hash from anchors where kind = 'mandate' and subject_id = ${id} order by sequence`
    const states = ['signed_by_proposer', 'signed_by_both', 'in_progress', 'completed']
    const hash = shown.json.data.protocol_mandate_hash
    expect(owed.map((row) => [row.label, toHex(row.hash)])).toEqual(
      states.map((state) => [state, hash]),
    )
  })

  test('needs no body, but none that is wrong', async () => {
    for (const body of [undefined, '', {}]) {
      const id = await anAgreed()
      expect((await post(id, 'complete', body)).status).toBe(200)
      expect((await get(id)).json.data.transitions[4].triggered_by).toBe('system')
    }
    const answer = await post(await anAgreed(), 'complete', { triggered_by: 5 })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })

  test('404 for an unknown mandate, 409 before both have signed and once it is completed', async () => {
    expect(refused(await post('nope', 'complete', {}))).toEqual(unknown)
    for (const id of [await aMandate(), await aSigned('proposer')])
      expect(refused(await post(id, 'complete', {}))).toEqual(wrongState)
    const id = await anAgreed()
    const twice = await Promise.all([post(id, 'complete', {}), post(id, 'complete', {})])
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

describe('a dispute', () => {
  const reason = 'Half of the summaries are missing'

  test('ends the mandate, with its reason in the record and in the trail', async () => {
    const id = await anAgreed()
    const { status, json } = await post(id, 'dispute', { reason, triggered_by: 'agent_alpha' })
    const disputed = { mandate_id: id, status: 'disputed', disputed_at: aMoment, reason }
    expect([status, json]).toEqual([200, { success: true, data: disputed }])
    const { data } = (await get(id)).json
    expect(data).toMatchObject({ state: 'disputed', dispute_reason: reason })
    expect(data.transitions[3]).toMatchObject({
      triggered_by: 'agent_alpha',
      metadata: { triggered_by: 'agent_alpha', key_id: aUuid, reason },
    })
    for (const move of ['dispute', 'complete'])
      expect(refused(await post(id, move, { reason }))).toEqual(wrongState)
  })

  test.each([
    ['none', undefined, 'missing_reason'],
    ['an empty text', '', 'missing_reason'],
    ['blanks', ' \n\t ', 'missing_reason'],
    ['a number', 5, 'INVALID_REQUEST'],
    ['null', null, 'INVALID_REQUEST'],
    ['a control character', 'a\u0000bc', 'INVALID_REQUEST'],
    ['4,001 characters', '🧾'.repeat(4_001), 'INVALID_REQUEST'],
  ])('400 for a reason that is %s', async (_, wrong, code) => {
    expect(refused(await post('nope', 'dispute', { reason: wrong }))).toEqual([400, code])
  })

  test('200 for a reason of 4,000 characters, each of two UTF-16 units', async () => {
    const answer = await post(await anAgreed(), 'dispute', { reason: '🧾'.repeat(4_000) })
    expect([answer.status, answer.json.data?.status]).toEqual([200, 'disputed'])
  })

  test('404 for an unknown mandate, 409 before both have signed', async () => {
    expect(refused(await post('nope', 'dispute', { reason }))).toEqual(unknown)
    for (const id of [await aMandate(), await aSigned('proposer')])
      expect(refused(await post(id, 'dispute', { reason }))).toEqual(wrongState)
  })
})

describe('after its expiry', () => {
  test('a mandate reads as expired, and that is anchored', async () => {
    const id = await anExpired(['proposer'])
    expect((await open(id)).json.state).toBe('expired')
    const { json } = await get(id)
    expect(json.data).toMatchObject({ state: 'expired', proposer_signature: null })
    const { created_at, ...last } = json.data.transitions.at(-1)
    expect(last).toMatchObject({
      from_state: 'signed_by_proposer',
      to_state: 'expired',
      triggered_by: 'system',
      metadata: { triggered_by: 'system', key_id: null },
      anchor_status: 'pending',
    })
    expect(created_at >= json.data.expires_at).toBe(true)
  })

  test('a mandate can be neither completed nor disputed', async () => {
    const id = await anExpired(['proposer', 'counterparty'])
    expect(refused(await post(id, 'complete', {}))).toEqual(wrongState)
    expect(refused(await post(id, 'dispute', { reason: 'late' }))).toEqual(wrongState)
  })

  test('a worker expires it', async () => {
    const id = await anExpired()
    const { sql } = app.database
    await eventually(async () => {
      const [row] = await sql`select state from mandates where id = ${id}`
      return row?.state === 'expired'
    })
    const told = await sql`select type from trail_steps where subject_id = ${id.slice(4)}`
    expect(told.map(({ type }) => type)).toEqual(['mandate.proposed'])
  })
})

describe('subscribers', () => {
  test('receive the whole record on every change that has an event', async () => {
    const id = await anAgreed()
    await post(id, 'complete', {})
    const told = await app.database.sql`
      select sequence, type, data from trail_steps where subject_id = ${id.slice(4)} order by sequence`
    expect(told.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'mandate.proposed'],
      [2, 'mandate.signed_by_proposer'],
      [3, 'mandate.signed_by_both'],
      [5, 'mandate.completed'],
    ])
    const { transitions: _, ...row } = (await get(id)).json.data
    expect(JSON.parse(told[3]?.data)).toEqual(row)
    expect(JSON.parse(told[1]?.data)).toMatchObject({
      id,
      state: 'signed_by_proposer',
      proposer_signature: null,
    })
  })
})

describe('waiting for the anchors', () => {
  test('answers at once when there are none', async () => {
    const { status, json } = await get(await aMandate(), '?wait=anchored')
    expect([status, json.data.state]).toEqual([200, 'proposed'])
  })

  test('answers once all are on chain', async () => {
    const id = await aSigned('proposer')
    const waited = get(id, '?wait=anchored')
    await Bun.sleep(150)
    await app.database
      .sql`update anchors set state = 'anchored', chain_id = 84532, tx_hash = '\\xa7', block_number = 7
      where subject_id = ${id}`
    const { json } = await waited
    expect(json.data.transitions[1]).toMatchObject({
      anchor_status: 'anchored',
      anchor_tx_hash: '0xa7',
      anchor_block_number: 7,
      anchor_chain: 'eip155:84532',
    })
    expect((await open(id)).json.anchor_tx_hash).toBe('0xa7')
  })

  test('answers with the state as it is where the service is about to end', async () => {
    const ending = await testApp({ ROLE: 'http' })
    const { id } = await aSignedMandate(ending, ['proposer'])
    const waited = ending.send('GET', `${route}/${id}?wait=anchored`)
    await Bun.sleep(150)
    await ending.stop()
    const { status, json } = await waited
    expect([status, json.data.state]).toEqual([200, 'signed_by_proposer'])
    expect(json.data.transitions[1].anchor_status).toBe('pending')
  })

  test.each(['?wait=', '?wait=mined', '?wait=anchored&wait=anchored'])(
    '400 for %s',
    async (query) => {
      expect(refused(await get('nope', query))).toEqual([400, 'INVALID_REQUEST'])
    },
  )
})

describe('anybody', () => {
  test('sees that a mandate exists, and nothing of what was agreed', async () => {
    const id = await aSigned('proposer')
    const { status, json } = await open(id)
    const { created_at, protocol_mandate_hash } = (await get(id)).json.data
    expect(status).toBe(200)
    expect(json).toEqual({
      id,
      state: 'signed_by_proposer',
      mandate_hash: protocol_mandate_hash,
      anchor_tx_hash: null,
      created_at,
      parties: [
        { role: 'proposer', name: 'agent_alpha', agent_id: 'agent_alpha', signed: true },
        { role: 'counterparty', name: 'agent_beta', agent_id: 'agent_beta', signed: false },
      ],
    })
  })

  test('404 for what is no mandate', async () => {
    for (const id of ['%00', '__proto__', 'mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'])
      expect(refused(await open(id))).toEqual(unknown)
  })
})

describe('the list', () => {
  test('pages through an account’s mandates, newest first, by page and by cursor', async () => {
    const { v1Key } = await app.newAccount()
    const key = { 'x-api-key': v1Key }
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await propose({}, key)).json.data.mandate_id)
    const list = async (query: string) =>
      (await app.send('GET', `${route}?${query}`, undefined, key)).json
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    const first = await list('limit=2')
    expect({ ...first, data: idsOf(first) }).toEqual({
      success: true,
      data: ids.slice(0, 2),
      total: 5,
      page: 1,
      limit: 2,
      hasMore: true,
      nextCursor: expect.any(String),
    })
    const second = await list(`limit=2&cursor=${first.nextCursor}`)
    expect(idsOf(second)).toEqual(ids.slice(2, 4))
    expect(idsOf(await list('limit=2&page=2'))).toEqual(ids.slice(2, 4))
    const last = await list(`limit=2&cursor=${second.nextCursor}`)
    expect([idsOf(last), last.hasMore, last.nextCursor]).toEqual([ids.slice(4), false, null])
    expect(first.data[0]).not.toHaveProperty('transitions')
    expect((await list('status=completed')).total).toBe(0)
    for (const query of ['status=proposed', 'state=proposed', 'status=proposed&state=proposed'])
      expect((await list(query)).total).toBe(5)
    expect((await list('state=completed')).total).toBe(0)
  })

  test('ends a page of large mandates early, and its cursor leads to all the rest', async () => {
    const { v1Key } = await app.newAccount()
    const key = { 'x-api-key': v1Key }
    const filler = 'x'.repeat(65_000)
    const ids: string[] = []
    for (let n = 0; n < 100; n++) {
      const { json } = await propose({ terms: { filler }, context: { filler } }, key)
      ids.unshift(json.data.mandate_id)
    }
    const list = (query: string) => app.send('GET', `${route}?${query}`, undefined, key)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { text, json } = await list(cursor === '' ? 'limit=100' : `limit=100&cursor=${cursor}`)
      expect(text.length).toBeLessThan(2 * 2 ** 20)
      expect([json.total, json.limit, json.hasMore]).toEqual([100, 100, json.nextCursor !== null])
      found.push(...json.data.map(({ id }: { id: string }) => id))
      cursor = json.nextCursor
    }
    expect(found).toEqual(ids)
    // The next page by number would begin behind what this one has left out.
    const byNumber = await list('limit=100&page=1')
    expect(refused(byNumber)).toEqual([400, 'INVALID_REQUEST'])
    expect(byNumber.json.error.details).toEqual([
      { path: 'limit', message: expect.stringContaining('nextCursor') },
    ])
    const fewer = await list('limit=5&page=2')
    expect(fewer.json.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(5, 10))
    // All that is on the page is small, or there is nothing on it: one before it ended early.
    for (let n = 0; n < 52; n++) await propose({}, key)
    expect((await list('limit=52')).json.data).toHaveLength(52)
    for (const query of ['limit=90&page=2', 'limit=52&page=3', 'limit=100&page=9'])
      expect(refused(await list(query))).toEqual([400, 'INVALID_REQUEST'])
    expect((await list('limit=52&state=completed&page=3')).json.data).toEqual([])
    expect((await list('limit=4&page=38')).json.data).toHaveLength(4)
  })

  const queries =
    'limit=0 limit=101 page=0 status=PENDING state=PENDING status=proposed&state=expired cursor=x page=1&page=2'
  test.each(queries.split(' '))('400 for %s', async (query) => {
    const answer = await app.send('GET', `${route}?${query}`)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('canonicalize', () => {
  // The vectors that a policy refuses (a key named __proto__) are left out.
  const accepted = vectors.vectors.filter(({ policy }) => policy === 'accept')

  test.each(accepted)('$id $name', async ({ input_json, canonical, canonical_sha256 }) => {
    const { status, json } = await app.send('POST', `${route}/canonicalize`, input_json)
    const data = { canonical, hash: `0x${canonical_sha256}` }
    expect([status, json]).toEqual([200, { success: true, data }])
  })

  test('gives the hash that the mandate has', async () => {
    const id = await aMandate()
    const body = {
      id,
      proposer_agent_id: wanted.proposer,
      counterparty_agent_id: wanted.counterparty,
      scope: wanted.scope,
      terms,
      expires_at: wanted.expiry,
    }
    const { json } = await app.send('POST', `${route}/canonicalize`, body)
    expect(json.data.hash).toBe((await get(id)).json.data.protocol_mandate_hash)
  })

  test.each([
    '{}',
    '{"id":"a","proposer_agent_id":"a","counterparty_agent_id":"b","scope":"c","terms":{"a":1e400},"expires_at":"2030-01-01T00:00:00Z"}',
    '{"id":"a","proposer_agent_id":"a","counterparty_agent_id":"b","scope":"c","terms":{},"expires_at":"2030-01-01"}',
  ])('400 for %s', async (body) => {
    const answer = await app.send('POST', `${route}/canonicalize`, body)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })
})
