import { Component, type ReactNode } from 'react';
import { retryFailedComponents } from '#src/shared/lazy-component.ts';

interface ErrorBoundaryProps {
  children: ReactNode;
  /** Renders the replacement of what failed. */
  failed: (error: unknown, retry: () => void) => ReactNode;
  /** A change of this value tries again. */
  retryWith?: unknown;
  onFail?: () => void;
  onRetry?: () => void;
}

interface BoundaryState {
  failure: { error: unknown } | undefined;
}

/** Contains errors: its children may throw or fail to load, and nothing around them is lost [APP11]. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override componentDidCatch() {
    this.props.onFail?.();
  }

  override componentDidUpdate(before: ErrorBoundaryProps) {
    if (this.state.failure !== undefined && before.retryWith !== this.props.retryWith) this.retry();
  }

  retry = () => {
    retryFailedComponents();
    this.props.onRetry?.();
    this.setState({ failure: undefined });
  };

  override render() {
    const { failure } = this.state;
    return failure === undefined ? this.props.children : this.props.failed(failure.error, this.retry);
  }
}
