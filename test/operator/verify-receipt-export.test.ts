import { expect, test } from 'bun:test'
import { verifyReceipt } from 'quittance/verify-receipt'

test('verifyReceipt can be had by the package’s name, and judges a bundle before it asks any node', async () => {
  const receiptId = 'drs_0190a000-0000-7000-8000-000000000001'
  const bundle = { receiptId, preimage: `{"receiptId":"${receiptId}"}`, hash: '0x00', anchor: null }
  const nowhere = 'http://127.0.0.1:1'
  const verdicts = await Promise.all([verifyReceipt({}, nowhere), verifyReceipt(bundle, [nowhere])])
  expect(verdicts.map((verdict) => !verdict.ok && verdict.problem)).toEqual([
    'malformed_bundle',
    'tampered_preimage',
  ])
})

test('a call without the URL of a node says what is missing, whatever the bundle is', async () => {
  const call = verifyReceipt as (...args: unknown[]) => Promise<unknown>
  const url = 'http://127.0.0.1:1'
  for (const urls of [undefined, null, '', [], [''], [url, ''], [undefined], { rpc: url }])
    await expect(call({}, urls)).rejects.toThrow('needs the URL of a node')
})
