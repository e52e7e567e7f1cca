-- Projects and employees with UUID keys; a link goes when either end goes.
CREATE TABLE projects (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), name TEXT NOT NULL);
CREATE TABLE employees (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), name TEXT NOT NULL);
CREATE TABLE project_employees (
    project_id UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    employee_id UUID NOT NULL REFERENCES employees (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, employee_id)
);
