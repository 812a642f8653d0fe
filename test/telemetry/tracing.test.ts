import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config/config.ts'
import { startTracing } from '../../src/telemetry/tracing.ts'

const trace = (id: string, flags: string) => `00-${id}-00f067aa0ba902b7-${flags}`
const [low, high] = [`${'1'.repeat(24)}00000001`, `${'1'.repeat(24)}ffffffff`]

/** What each sampler does with no `traceparent`, a recorded one, another, and one that is none. */
test.each([
  ['parentbased_traceidratio', '0', [false, true, false, false]],
  ['parentbased_traceidratio', '1', [true, true, false, true]],
  ['parentbased_always_on', '', [true, true, false, true]],
  ['parentbased_always_off', '', [false, true, false, false]],
  ['always_on', '', [true, true, true, true]],
  ['always_off', '', [false, false, false, false]],
  ['traceidratio', '0.5', [expect.any(Boolean), true, false, expect.any(Boolean)]],
])('the sampler %s %s', async (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, sampled) => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1/'
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }
  const { tracing } = readConfig(env)
  if (!tracing) throw new Error('not configured')
  const { isSampled, stop } = startTracing(tracing, '1')
  const asked = [null, trace(low, '01'), trace(high, '00'), 'nonsense']
  expect(asked.map(isSampled)).toEqual(sampled)
  await stop()
})

test('without an endpoint nothing is traced, and a share beyond 1 is refused', () => {
  expect(readConfig({}).tracing).toBeNull()
  expect(() => readConfig({ OTEL_TRACES_SAMPLER_ARG: '1.5' })).toThrow('OTEL_TRACES_SAMPLER_ARG')
})
