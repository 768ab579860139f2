-- The audit as admins of one tenant read it, newest first. A row is of its object's tenant, else of its actor's; the empty text: of the
-- installation itself.
DROP INDEX audit_row_of_tenant;
CREATE INDEX audit_row_of_whom ON audit_row ((coalesce(object_tenant_id, tenant_id, '')), at, act_id);
