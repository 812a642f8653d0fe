import { Component, type ReactNode } from 'react'

/** A page that fails to be shown says so, instead of leaving nothing. */
export class Guard extends Component<{ children: ReactNode }> {
  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override readonly state = { isBroken: false }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className="failure" role="alert">
        <h1>This page cannot be shown</h1>
        <p>The fault is in the page, not in your data.</p>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    )
  }
}
