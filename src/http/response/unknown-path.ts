import { DomainError } from '../../domain/error.ts'
import { pathOf } from '../request/request-url.ts'

type Route = { readonly method: string; readonly path: string }

/** Refuses requests without a route: `method_not_allowed` where another method has one. */
export function unknownPathRefusal(routes: readonly Route[]): (request: Request) => DomainError {
  const known = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`),
  }))
  return (request) => {
    const path = pathOf(request.url)
    const methods = known
      .filter(({ pattern }) => pattern.test(path))
      // Elysia answers HEAD wherever it answers GET.
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    if (methods.length === 0) return new DomainError('not_found', 'There is nothing at this path')
    const allow = [...new Set(methods)].join(', ')
    return new DomainError('method_not_allowed', `This path takes ${allow}`, { headers: { allow } })
  }
}
