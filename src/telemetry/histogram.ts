import { Histogram, type MetricValueWithName, type Registry } from 'prom-client'

type Label = 'method' | 'route' | 'status'
type Sample = MetricValueWithName<Label>

/** `counts` has one entry per bucket; the last is for durations beyond all bounds. */
type Series = {
  readonly method: string
  readonly status: number
  readonly counts: number[]
  sumSeconds: number
}

const name = 'quittance_http_request_duration_seconds'
const help = 'Time from a request to its answer, by route pattern and status'

/**
 * prom-client hashes labels on each observation, up to a tenth of a request's time. Here a route's
 * few series are searched directly, and prom-client only exports them.
 */
export class RequestHistogram extends Histogram<Label> {
  readonly #bounds: readonly number[]
  readonly #byRoute = new Map<string, Series[]>()

  constructor(options: { bucketSeconds: readonly number[]; registers: Registry[] }) {
    const labelNames: Label[] = ['method', 'route', 'status']
    super({ name, help, labelNames, registers: options.registers })
    this.#bounds = options.bucketSeconds
  }

  count(method: string, route: string, status: number, seconds: number): void {
    const series = this.#seriesOf(method, route, status)
    const bucket = this.#bounds.findIndex((bound) => seconds <= bound)
    const at = bucket < 0 ? this.#bounds.length : bucket
    series.counts[at] = (series.counts[at] ?? 0) + 1
    series.sumSeconds += seconds
  }

  async getForPromString() {
    const all = [...this.#byRoute].flatMap(([route, series]) =>
      series.flatMap((one) => samplesOf(route, one, this.#bounds)),
    )
    return { name, help, type: 'histogram', values: all }
  }

  #seriesOf(method: string, route: string, status: number): Series {
    const all = this.#byRoute.get(route) ?? []
    for (const one of all) if (one.status === status && one.method === method) return one
    const counts = Array<number>(this.#bounds.length + 1).fill(0)
    const made = { method, status, counts, sumSeconds: 0 }
    this.#byRoute.set(route, [...all, made])
    return made
  }
}

function samplesOf(route: string, series: Series, bounds: readonly number[]): readonly Sample[] {
  const { method, status, counts, sumSeconds } = series
  const labels = { method, route, status }
  let count = 0
  const buckets = counts.map((more, at) => {
    count += more
    return {
      metricName: `${name}_bucket`,
      labels: { le: bounds[at] ?? '+Inf', ...labels },
      value: count,
    }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
