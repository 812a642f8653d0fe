import { DomainError } from '../../domain/error.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Refuses a request for a host name, or from a page, that is not ours. Errors: `forbidden`. */
export type HostCheck = (request: Request) => void

/**
 * Allows the loopback names and the host of `publicUrl`, on any port. A page that resolves its own
 * name to us (DNS rebinding) sends that name in `Host` and `Origin`.
 */
export function hostCheck(publicUrl: string | null): HostCheck {
  const allowed = new Set(publicUrl === null ? loopback : [...loopback, hostnameOf(publicUrl)])
  return ({ headers }) => {
    const host = headers.get('host') ?? ''
    if (!allowed.has(hostnameOf(`http://${host}`)))
      throw new DomainError('forbidden', 'This host is not served here')
    const origin = headers.get('origin')
    if (origin !== null && !allowed.has(hostnameOf(origin)))
      throw new DomainError('forbidden', 'Pages of this origin may not call this server')
  }
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}
