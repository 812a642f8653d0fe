import { isObject, type JsonObject } from '../../domain/json-text.ts'

export type FacilitatorAnswer = { readonly status: number; readonly said: JsonObject }

export type FacilitatorClient = {
  /** Rejects where there is no answer in time, or one that is no JSON object. */
  ask(path: 'supported' | 'verify' | 'settle', content?: object): Promise<FacilitatorAnswer>
}

/** The official client prints plain text to stdout, between the lines of the log. */
export function facilitatorClient(url: string, timeoutMs: number): FacilitatorClient {
  const base = url.replace(/\/+$/, '')
  return {
    async ask(path, content) {
      const response = await fetch(`${base}/${path}`, {
        ...(content && { method: 'POST', body: JSON.stringify(content) }),
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
      })
      const { status } = response
      const said: unknown = await response.json().catch((cause) => {
        throw new Error(`The facilitator answers ${path} with ${status} and no JSON`, { cause })
      })
      if (!isObject(said))
        throw new Error(`The facilitator answers ${path} with ${status} and no object`)
      return { status, said }
    },
  }
}
