/** What whoever keeps the installation can mend: the message is one sentence for them. */
export class MaintenanceError extends Error {}
