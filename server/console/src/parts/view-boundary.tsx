import { Component, type ComponentChildren } from 'preact'

interface BoundaryProps {
  /** What fails here, such as `The timeline`. */
  of: string
  /** What is shown: another value draws it anew. */
  at?: unknown
  children: ComponentChildren
}

/** Says that a part of the page failed, in its place: what stands around it goes on. */
export class ViewBoundary extends Component<BoundaryProps, { failure: string | undefined }> {
  static override getDerivedStateFromError(thrown: unknown): { failure: string } {
    return { failure: thrown instanceof Error ? thrown.message : String(thrown) }
  }

  override componentDidUpdate({ at }: BoundaryProps): void {
    if (at !== this.props.at && this.state.failure !== undefined) this.setState({ failure: undefined })
  }

  override render({ of, children }: BoundaryProps) {
    const { failure } = this.state
    if (failure === undefined) return children
    return (
      <div class="error-note" role="alert">
        <p>
          This view failed. {of} cannot be shown: the data is not as svc writes it, or the console has a fault.{' '}
          <span class="tiny mono">{failure.slice(0, 300)}</span>
        </p>
        <button type="button" onClick={() => this.setState({ failure: undefined })}>
          Try again
        </button>
      </div>
    )
  }
}
