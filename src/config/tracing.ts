import type { EnvReader } from './env.ts'

export type TracingConfig = NonNullable<ReturnType<typeof tracingFrom>>

const roots = ['always_on', 'always_off', 'traceidratio'] as const
const usualRatio = 0.01

/** The standard variables of OpenTelemetry; null: nothing is traced. */
export function tracingFrom(read: EnvReader) {
  const endpoint = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:'])
  const names = roots.flatMap((root) => [root, `parentbased_${root}`] as const)
  const sampler = read.oneOf('OTEL_TRACES_SAMPLER', names) ?? 'parentbased_traceidratio'
  const isRatio = (text: string) => Number(text) >= 0 && Number(text) <= 1
  const ratio = read.matching('OTEL_TRACES_SAMPLER_ARG', isRatio, 'a share from 0 to 1')
  const serviceName = read.text('OTEL_SERVICE_NAME') ?? 'quittance'
  if (endpoint === null) return null
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    sampler: {
      name: roots.find((root) => sampler.endsWith(root)) ?? 'traceidratio',
      isParentBased: sampler.startsWith('parentbased_'),
    },
    ratio: ratio === null ? usualRatio : Number(ratio),
    serviceName,
  }
}
