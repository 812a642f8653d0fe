import { Component, type ReactNode } from 'react'

/** Without it, a page that fails to render would be blank. */
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
        <p>This is a fault of the page, not of your data.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
}
