/** A fault that the operator can mend: the message is one sentence that tells them how. */
export class MaintenanceError extends Error {}
