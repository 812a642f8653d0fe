import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { TracingConfig } from '../config/tracing.ts'

export type Tracing = ReturnType<typeof startTracing>

/** The W3C `traceparent` of a span that is recorded. */
export type TraceParent = string

/** `parent` null: a new trace. */
type SpanOptions = {
  readonly parent: TraceParent | null
  readonly kind?: keyof typeof SpanKind
  readonly attributes?: Attributes | undefined
  readonly startedAt?: Date
}

/** What the result of the work says about its span. `error`: why the work failed. */
type Outcome = { readonly attributes: Attributes; readonly error: string | null }

const exportEveryMs = 1_000
const stopWithinMs = 1_000

/**
 * Records spans that are placed by hand, and exports them in the background. Only a process that
 * traces loads this file.
 */
export function startTracing(config: TracingConfig, version: string) {
  const provider = providerOf(config, version)
  const tracer = provider.getTracer('quittance', version)
  const current = new AsyncLocalStorage<TraceParent>()

  function start(name: string, { parent, kind = 'INTERNAL', ...options }: SpanOptions) {
    const from = parent === null ? null : parseTraceParent(parent)
    const context = from
      ? trace.setSpanContext(ROOT_CONTEXT, { ...from, isRemote: true })
      : ROOT_CONTEXT
    const { attributes = {}, startedAt: startTime = new Date() } = options
    const span = tracer.startSpan(name, { kind: SpanKind[kind], attributes, startTime }, context)
    const { traceId, spanId } = span.spanContext()
    const end = (attributes: Attributes = {}) => span.setAttributes(attributes).end()
    const fail = (error: unknown) =>
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) })
    return { traceParent: `00-${traceId}-${spanId}-01`, end, fail }
  }

  /** Runs `work` in a span, whose `traceparent` it gets. Rejects as `work` does. */
  async function run<T>(
    name: string,
    options: SpanOptions,
    work: (traceParent: TraceParent) => Promise<T>,
    outcomeOf: (result: T) => Outcome,
  ): Promise<T> {
    const span = start(name, options)
    try {
      const result = await current.run(span.traceParent, () => work(span.traceParent))
      const { attributes, error } = outcomeOf(result)
      if (error !== null) span.fail(error)
      span.end(attributes)
      return result
    } catch (error) {
      span.fail(error)
      span.end()
      throw error
    }
  }

  return {
    /** Whether to trace a request with this `traceparent`. */
    isSampled: samplerOf(config),
    start,
    run,
    /** Of the span in which the caller runs; null if it is not recorded. */
    parent: (): TraceParent | null => current.getStore() ?? null,
    async stop() {
      await Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(stopWithinMs)])
    },
  }
}

function providerOf(config: TracingConfig, version: string): TracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${config.endpoint}/v1/traces` })
  const attributes = { 'service.name': config.serviceName, 'service.version': version }
  return new TracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes(attributes),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportEveryMs })],
  })
}

/** The SDK's samplers make a span of every request, also of those that are left out. */
function samplerOf({ sampler, ratio }: TracingConfig): (header: string | null) => boolean {
  const share = { always_on: 1, always_off: 0, traceidratio: ratio }[sampler.name]
  return (header) => {
    const parent = header === null ? null : parseTraceParent(header)
    if (!parent) return Math.random() < share
    if (sampler.isParentBased) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0
    return Number.parseInt(parent.traceId.slice(-8), 16) < share * 2 ** 32
  }
}
