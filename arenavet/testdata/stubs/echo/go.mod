module github.com/labstack/echo/v5

go 1.26.0
